// Draws each screen with made-up data, for `earshot kiosk preview` and the tests. It is part of the
// page so that a preview shows the very page that visitors see; nothing on the page leads here.

import { stage, show, showItem, setLanguage, setScale } from "/page/main.js";

const samples = {
  en: { title: "Evening at the Harbour", artist: "The Glass Orchestra", album: "Waters", genre: "Classical", titles: ["Morning Bells", "The Weaver’s Song", "Rain on Tin Roofs"] },
  ru: { title: "Вечер в гавани", artist: "Стеклянный оркестр", album: "Воды", genre: "Классика", titles: ["Утренние колокола", "Песня ткачихи", "Дождь по крышам"] },
  "zh-Hans": { title: "港湾之夜", artist: "玻璃乐团", album: "水", genre: "古典", titles: ["晨钟", "织女之歌", "铁皮屋顶上的雨"] },
  ko: { title: "항구의 저녁", artist: "유리 오케스트라", album: "물", genre: "클래식", titles: ["아침 종소리", "베 짜는 이의 노래", "양철 지붕의 비"] },
};

const prompts = {
  microphone: {
    en: ["“{name}” asks to use the microphone.", ["Allow Once", "Allow While Open", "Don't Allow"]],
    ru: ["«{name}» просит доступ к микрофону.", ["Разрешить один раз", "Разрешить до закрытия", "Не разрешать"]],
    "zh-Hans": ["“{name}”请求使用麦克风。", ["允许一次", "打开期间允许", "不允许"]],
    ko: ["‘{name}’에서 마이크 사용을 요청합니다.", ["한 번 허용", "열려 있는 동안 허용", "허용 안 함"]],
  },
  library: {
    en: ["“{name}” asks to save this match.", ["Save", "Never Save", "Not Now"]],
    ru: ["«{name}» предлагает сохранить находку.", ["Сохранить", "Никогда не сохранять", "Не сейчас"]],
    "zh-Hans": ["“{name}”请求保存此结果。", ["保存", "永不保存", "暂不保存"]],
    ko: ["‘{name}’에서 결과 저장을 요청합니다.", ["저장", "항상 저장 안 함", "나중에"]],
  },
};

const saving = {
  en: "Your library keeps the name of what you heard until you remove it.",
  ru: "Библиотека хранит название того, что вы слышали, пока вы его не удалите.",
  "zh-Hans": "资料库会保存您听到的内容名称，直到您将其移除。",
  ko: "보관함은 들은 내용의 이름을 삭제할 때까지 보관합니다.",
};

const explanation = {
  icon: "ear",
  texts: {
    en: { title: "Find out what is playing", sentences: ["This room has music in it.", "Next, you will be asked for your decision."], action: "Continue" },
    ru: { title: "Узнайте, что звучит", sentences: ["В этом зале играет музыка.", "Далее мы спросим о вашем решении."], action: "Продолжить" },
    "zh-Hans": { title: "了解正在播放什么", sentences: ["这个展厅里有音乐。", "接下来将询问您的决定。"], action: "继续" },
    ko: { title: "무엇이 흐르는지 알아보세요", sentences: ["이 방에는 음악이 흐릅니다.", "다음으로 결정을 여쭙겠습니다."], action: "계속" },
  },
};

function item(language, isRich = true) {
  const words = samples[language];
  return {
    catalog: "preview", id: "preview", title: words.title, artist: words.artist, album: words.album,
    genres: [words.genre], language, hasArtwork: false, captions: [], duration: 245, timeRanges: [],
    link: isRich ? "https://museum.example/harbour" : null, code: isRich ? sampleCode : null,
  };
}

/** A code of the right form for the picture; the real one comes from the daemon with the item. */
const sampleCode = Array.from({ length: 25 }, (_, y) => Array.from({ length: 25 }, (_, x) => {
  const eye = (dx, dy) => Math.max(Math.abs(dx - 3), Math.abs(dy - 3));
  for (const [ox, oy] of [[0, 0], [18, 0], [0, 18]]) {
    const far = eye(x - ox, y - oy);
    if (far <= 3) return far === 2 ? "0" : "1";
    if (far === 4) return "0";
  }
  return (x * 7 + y * 13 + x * y) % 5 < 2 ? "1" : "0";
}).join(""));

function visit(language, c) {
  const words = samples[language];
  return {
    requester: c.setup.name, status: "allowed", explains: false,
    choices: [
      { capability: "microphone", choice: "allow", purpose: c.setup.purpose },
      { capability: "library", choice: "ask", purpose: saving },
    ],
    uses: [{ opened: Date.UTC(2026, 0, 5, 10, 4), milliseconds: 3180, outcome: "match" }],
    saved: words.titles.slice(0, 2).map((title, index) => ({ id: String(index), title, artist: words.artist })),
  };
}

function prompt(capability, language, c) {
  const [title, labels] = prompts[capability][language];
  const choices = capability === "microphone"
    ? ["allow-once", "allow-open", "deny"] : ["save", "never-save", "not-now"];
  stage.takePrompt("shown", {
    id: "preview", capability, language, title: title.replace("{name}", c.setup.name),
    message: capability === "microphone" ? c.setup.purpose[language] : saving[language],
    buttons: labels.map((label, index) => ({ choice: choices[index], label })), secondsLeft: 60,
  });
}

const captionWords = {
  en: "The boats come home\nbefore the light is gone.", ru: "Лодки возвращаются домой,\nпока не погас свет.",
  "zh-Hans": "天色未暗之前，\n船儿都回家了。", ko: "빛이 사라지기 전에\n배들이 집으로 돌아온다.",
};

const entries = (language) => samples[language].titles.concat(samples[language].title)
  .map((title, index) => ({ catalog: "preview", id: String(index), title, artist: samples[language].artist, captions: [] }));

/** Every screen by name; each puts itself up. */
const all = {
  "start": () => show("start", undefined, { keepsFocus: true }),
  "button-fault": () => {
    stage.page.isButtonFaulty = true;
    show("start", undefined, { keepsFocus: true });
    stage.page.isButtonFaulty = false;
  },
  "explanation": (language, c) => {
    c.setup.explanation ??= explanation;
    show("explanation");
  },
  "prompt": (language, c) => {
    show("opening");
    prompt("microphone", language, c);
  },
  "opening": () => show("opening"),
  "listening": () => {
    stage.takeEvent("listening", { use: "preview" });
    show("listening", { secondsLeft: 9 });
    stage.setLevel(0.62, 9);
  },
  "match": (language) => showItem({ item: item(language), position: 83, isSaved: false }),
  "question-to-save": (language, c) => {
    showItem({ item: item(language), position: 83 });
    prompt("library", language, c);
  },
  "no-match": () => show("outcome", { outcome: "no-match" }),
  "silence": () => show("outcome", { outcome: "no-signal", reason: "silence" }),
  "muted": () => show("outcome", { outcome: "no-signal", reason: "muted" }),
  "too-short": () => show("outcome", { outcome: "too-short" }),
  "ambiguous": (language) => show("ambiguous", { matches: entries(language).slice(0, 3) }),
  "denied": () => show("outcome", { outcome: "denied", reason: "denied" }),
  "dismissed": () => show("outcome", { outcome: "denied", reason: "dismissed" }),
  "error": () => show("outcome", { outcome: "error", reason: "worker-lost" }),
  "choose": (language) => show("choose", { entries: entries(language) }),
  "chosen": (language) => showItem({ item: item(language, false), isChosen: true }),
  "captions": (language) => {
    const sample = { ...item(language), captions: ["en", "ko"], parts: [{ ...item(language), id: "part" }] };
    show("captions", { item: sample, language, from: { item: sample } });
    const { take } = stage.page.screen.element;
    take("ready", { language });
    take("following", {});
    take("position", { position: 83, speed: 1 });
    take("part", { id: "part", title: samples[language].titles[1], subtitle: samples[language].artist });
    take("cue", { id: "1", track: "captions", text: "", spans: [{ text: captionWords[language] }] });
  },
  "captions-lost": (language) => {
    show("captions", { item: item(language), language, from: { item: item(language) } });
    stage.page.screen.element.take("lost", { reason: "untrusted" });
  },
  "privacy": (language, c) => show("privacy", visit(language, c)),
  "idle": () => {
    show("start");
    stage.warn(12);
  },
  "lost": () => show("lost"),
};

export const names = Object.keys(all);

/** Puts one screen up in one language and size. */
export async function preview(name, language, scale) {
  // The first screen comes up once more when the connection stands, and would replace this one.
  while (!stage.isReady()) await new Promise((wake) => setTimeout(wake, 10));
  stage.closeDialogs();
  stage.takeEvent("hello", { isListening: false });
  stage.page.isVisiting = false;
  setLanguage(language);
  setScale(scale);
  all[name](language, stage.context);
  await document.fonts.ready;
}
