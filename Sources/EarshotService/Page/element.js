// Builds the page's elements. Words are text and never markup: nothing here reads HTML, and the
// page's policy has no way to let it.

/** Makes an element. `props` are properties, `on…` listeners, and attributes for all else. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const shapes = {
  microphone: {
    filled: ["M12 14.5a3.5 3.5 0 0 0 3.5-3.5V6a3.5 3.5 0 0 0-7 0v5a3.5 3.5 0 0 0 3.5 3.5Z",
      "M18.2 10.2a.8.8 0 0 0-.8.8 5.4 5.4 0 0 1-10.8 0 .8.8 0 0 0-1.6 0 7 7 0 0 0 6.2 6.95V20H8.8" +
      "a.8.8 0 0 0 0 1.6h6.4a.8.8 0 0 0 0-1.6h-2.4v-2.05A7 7 0 0 0 19 11a.8.8 0 0 0-.8-.8Z"],
    outline: ["M12 14a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v5a3 3 0 0 0 3 3Z",
      "M18 11a6 6 0 0 1-12 0M12 17v4M8.5 21h7"],
  },
  ear: { outline: ["M7 10a5 5 0 0 1 10 0c0 3.4-3.4 4.2-3.4 7.2a2.8 2.8 0 0 1-5.2 1.4",
    "M9.6 10.4a2.4 2.4 0 0 1 4.8 0c0 1.5-1.6 2-2.1 3.2"] },
  captions: { outline: ["M4 6h16v12H4z", "M10 10.4a2 2 0 1 0 0 3.2M17 10.4a2 2 0 1 0 0 3.2"] },
  note: { outline: ["M9 18V6l10-2v11.5", "M9 18a2.5 2.5 0 1 1-2.5-2.5A2.5 2.5 0 0 1 9 18Z",
    "M19 15.5a2.5 2.5 0 1 1-2.5-2.5"] },
  home: { outline: ["M4 11.5 12 4l8 7.5", "M6.5 10v9.5h11V10"] },
  list: { outline: ["M8.5 6.5h11M8.5 12h11M8.5 17.5h11M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01"] },
  shield: { outline: ["M12 3.5 5 6.2v5.3c0 4.3 2.9 7.4 7 9 4.1-1.6 7-4.7 7-9V6.2Z"] },
  silence: { outline: ["M4.5 9.5v5h3l4.5 4v-13l-4.5 4ZM16 9.5l5 5M21 9.5l-5 5"] },
  question: { outline: ["M9 9.2a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1-1.4 2.1v.4M12 17.6v.01",
    "M21 12a9 9 0 1 1-9-9 9 9 0 0 1 9 9Z"] },
  closed: { outline: ["M12 14a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v5a3 3 0 0 0 3 3Z",
    "M18 11a6 6 0 0 1-12 0M12 17v4M4 3.5l16 17"] },
};

/** An icon of the shipped set, hidden from assistive technology: the words beside it say it all. */
export function icon(name, style = "outline") {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const shape = shapes[name] ?? shapes.note;
  const paths = shape[style] ?? shape.outline;
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon ${shape[style] && style === "filled" ? "filled" : "outline"}`);
  svg.setAttribute("aria-hidden", "true");
  for (const d of paths) {
    const path = document.createElementNS(ns, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/** A QR code of the rows that the daemon made, with its quiet zone. */
export function code(rows, label) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const size = rows.length + 8;
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "code");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.setAttribute("shape-rendering", "crispEdges");
  let d = "";
  rows.forEach((row, y) => {
    for (const run of row.matchAll(/1+/g)) d += `M${run.index + 4} ${y + 4}h${run[0].length}v1h-${run[0].length}z`;
  });
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", d);
  svg.append(path);
  return svg;
}

/** Seconds as minutes and seconds. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
