// Talks to the daemon: two event streams, one stream for a listening, and short requests.

export class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
    this.reason = reason;
  }
}

/** One request; its answer as a value. */
export async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refused(response.status, "unreadable");
  }
  if (!response.ok) throw new Refused(response.status, value.reason ?? "unknown");
  return value;
}

/**
 * Follows the daemon's events and its prompts, for as long as the page lives.
 *
 * `connected` is told of each change; a connection that drops is tried again by the browser, and
 * one that was refused is tried again here.
 */
export function follow({ event, prompt, connected }) {
  const state = { events: false, prompts: false };
  const tell = (name, isOpen) => {
    const was = state.events && state.prompts;
    state[name] = isOpen;
    const is = state.events && state.prompts;
    if (is !== was) connected(is);
  };
  const open = (name, path, kinds, take) => {
    const source = new EventSource(path);
    source.addEventListener("open", () => tell(name, true));
    source.addEventListener("error", () => {
      tell(name, false);
      if (source.readyState !== EventSource.CLOSED) return;
      source.close();
      setTimeout(() => open(name, path, kinds, take), 1000);
    });
    for (const kind of kinds) {
      source.addEventListener(kind, (message) => take(kind, JSON.parse(message.data)));
    }
  };
  open("events", "/v1/events", ["hello", "listening", "closed", "revoked", "stopping"], event);
  open("prompts", "/v1/prompts", ["ready", "shown", "gone"], prompt);
}

/**
 * One listening: sends the press, and hands on each event until the stream ends.
 *
 * Aborting `signal` closes the connection, and with it the microphone.
 */
export async function listen(press, language, signal, take, captions) {
  const response = await fetch("/v1/listen", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Accept": "text/event-stream" },
    body: JSON.stringify({ press, language, captions }),
    signal,
  });
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Refused(response.status, problem.reason ?? "unknown");
  }
  await read(response, take);
}

/** Captions in time: their events until the stream ends. False where there are none of that name. */
export async function followCaptions(path, signal, take) {
  const response = await fetch(path, { headers: { "Accept": "text/event-stream" }, signal });
  if (!response.ok) return false;
  await read(response, take);
  return true;
}

/** Hands on each event of a stream. */
async function read(response, take) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    waiting += decoder.decode(value, { stream: true });
    for (let end = waiting.indexOf("\n\n"); end >= 0; end = waiting.indexOf("\n\n")) {
      const lines = waiting.slice(0, end).split("\n");
      waiting = waiting.slice(end + 2);
      const name = lines.find((line) => line.startsWith("event: "))?.slice(7);
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
      if (name && data) take(name, JSON.parse(data));
    }
  }
}
