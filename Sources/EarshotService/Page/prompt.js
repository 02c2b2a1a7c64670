// The daemon's question, as the daemon worded it (rules C5 to C7, A1 to A5).
//
// Its looks are its own under every theme (rule E6): the style sheet gives it fixed colours, and the
// browser's top layer keeps everything of the page below it. While anything overlaps a button, the
// buttons do nothing.

import { h, icon } from "/page/element.js";
import { isUncovered } from "/page/button.js";

/**
 * Shows a prompt; `answer` is called once, with a choice or with `dismiss`, and whether by 'Home'.
 *
 * `words.reminder` tells of the indicator (rule B2), and is there for the microphone only.
 */
export function showPrompt(message, words, answer) {
  let isDone = false;
  const finish = (choice, isHome = false) => {
    if (isDone) return;
    isDone = true;
    close();
    answer(choice, isHome);
  };
  const press = (event, choice) => {
    // Neither a script nor a covered button can answer.
    if (!event.isTrusted || !buttons.every(isUncovered)) return;
    finish(choice);
  };
  const buttons = message.buttons.map((button) =>
    h("button", {
      type: "button", class: "choice", "data-choice": button.choice,
      onclick: (event) => press(event, button.choice),
    }, button.label));
  const home = h("button", {
    type: "button", class: "prompt-home", onclick: (event) => event.isTrusted && finish("dismiss", true),
  }, icon("home"), words.home);
  const dialog = h("dialog", {
    class: "prompt", lang: message.language, "aria-labelledby": "prompt-title",
    "aria-describedby": "prompt-text", tabindex: "-1", autofocus: true,
  },
    home,
    h("div", { class: "prompt-card" },
      h("div", { class: "prompt-words", id: "prompt-words" },
        h("h2", { id: "prompt-title" }, message.title),
        h("p", { id: "prompt-text" }, message.message ?? ""),
        message.capability === "microphone" ? h("p", { class: "reminder" }, words.reminder) : null),
      h("div", { class: "choices" }, buttons)));

  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    finish("dismiss");
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || event.key === "Home" || event.key === "BrowserHome") {
      event.preventDefault();
      event.stopPropagation();
      finish("dismiss", event.key !== "Escape");
    } else if (event.key === "Tab") {
      keepFocus(event, dialog, [...buttons, home]);
    }
  });
  const close = () => {
    if (dialog.open) dialog.close();
    dialog.remove();
  };
  document.body.append(dialog);
  dialog.showModal();
  dialog.focus();
  return {
    id: message.id,
    /** Takes it away without an answer: the daemon has. */
    close: () => {
      isDone = true;
      close();
    },
  };
}

/** Goes round within the dialog: the first Tab reaches the first choice. */
export function keepFocus(event, dialog, stops) {
  const at = stops.indexOf(document.activeElement);
  const step = event.shiftKey ? -1 : 1;
  const next = at < 0 ? (step > 0 ? 0 : stops.length - 1) : (at + step + stops.length) % stops.length;
  event.preventDefault();
  stops[next].focus();
}
