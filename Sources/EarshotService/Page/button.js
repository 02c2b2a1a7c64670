// Whether the Listen button can be read, measured in this very browser (rule B6). A button that
// can't be read grants nothing; the deployer is told why.

const least = { label: 4.5, icon: 3, page: 3, alpha: 0.8, size: 44 };

function color(text) {
  // Computed colours are rgb(), rgba() or color(srgb …).
  const numbers = text.match(/[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [];
  const unit = text.startsWith("color(") ? 1 : 255;
  const [red = 0, green = 0, blue = 0, alpha = 1] = numbers;
  return [red / unit, green / unit, blue / unit, alpha];
}

function over(top, below) {
  const alpha = top[3];
  return [0, 1, 2].map((part) => top[part] * alpha + below[part] * (1 - alpha)).concat(1);
}

function luminance([red, green, blue]) {
  const linear = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function contrast(one, two) {
  const [a, b] = [luminance(one), luminance(two)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** How see-through an element is, with all that it stands in. */
function opacity(element) {
  let product = 1;
  for (let each = element; each; each = each.parentElement) {
    product *= Number(getComputedStyle(each).opacity);
  }
  return product;
}

function colorFaults(button) {
  const style = getComputedStyle(button);
  const background = color(style.backgroundColor);
  const label = color(getComputedStyle(button.querySelector(".label")).color);
  const sign = color(getComputedStyle(button.querySelector(".icon")).color);
  const page = color(getComputedStyle(document.body).backgroundColor);
  const through = opacity(button);
  const faults = [];
  for (const [name, each] of [["background", background], ["label", label], ["icon", sign]]) {
    if (each[3] * through < least.alpha) faults.push(`the ${name} is too transparent`);
  }
  const below = [page, [0, 0, 0, 1], [1, 1, 1, 1]].map((each) => over(background, each));
  const worst = (measure) => Math.min(...below.map(measure));
  if (worst((each) => contrast(over(label, each), each)) < least.label) {
    faults.push("the label's contrast to the background is under 4.5");
  }
  if (worst((each) => contrast(over(sign, each), each)) < least.icon) {
    faults.push("the icon's contrast to the background is under 3");
  }
  if (worst((each) => contrast(each, page)) < least.page) {
    faults.push("the button's contrast to the page is under 3");
  }
  return faults;
}

function boxFaults(button, words) {
  const faults = [];
  const box = button.getBoundingClientRect();
  const label = button.querySelector(".label");
  if (box.width < least.size || box.height < least.size) faults.push("it is under 44 px");
  const text = document.createRange();
  text.selectNodeContents(label);
  const inner = text.getBoundingClientRect();
  const isClipped = label.scrollWidth > label.clientWidth + 1
    || label.scrollHeight > label.clientHeight + 1
    || inner.left < box.left - 1 || inner.right > box.right + 1
    || inner.top < box.top - 1 || inner.bottom > box.bottom + 1
    || box.left < -1 || box.right > document.documentElement.clientWidth + 1;
  if (isClipped) faults.push("the label is clipped");
  const name = button.getAttribute("aria-label") ?? button.textContent;
  if (!name.includes(words)) faults.push("the accessible name lacks the label");
  return faults;
}

/** Whether nothing lies over an element: its centre and corners are its own. */
export function isUncovered(element) {
  const box = element.getBoundingClientRect();
  // What is above a dialog and cannot be pressed is no hit, and hides it all the same.
  for (const other of document.querySelectorAll(":popover-open, dialog[open]")) {
    const its = other.getBoundingClientRect();
    const meets = its.left < box.right && its.right > box.left && its.top < box.bottom && its.bottom > box.top;
    if (meets && !other.contains(element)) return false;
  }
  const radius = parseFloat(getComputedStyle(element).borderTopLeftRadius) || 0;
  // The corner of a rounded box is outside it by this much.
  const inset = Math.min(radius, box.height / 2, box.width / 2) * 0.3 + 2;
  const points = [
    [box.left + box.width / 2, box.top + box.height / 2],
    [box.left + inset, box.top + inset], [box.right - inset, box.top + inset],
    [box.left + inset, box.bottom - inset], [box.right - inset, box.bottom - inset],
  ];
  const inView = points.filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
  return inView.length > 0 && inView.every(([x, y]) => {
    const hit = document.elementFromPoint(x, y);
    return hit !== null && element.contains(hit);
  });
}

/** What is wrong with the button as it stands now; empty where it can be read. */
export function faultsNow(button, words) {
  const faults = colorFaults(button).concat(boxFaults(button, words));
  if (!isUncovered(button)) faults.push("something covers it");
  return faults;
}

/**
 * What is wrong with it at any text size in any language: each is laid out and measured, and the
 * page is put back before anything is painted.
 */
export function faultsEverywhere(button, labels, scales) {
  const root = document.documentElement;
  const [wasClass, wasLanguage] = [root.className, root.lang];
  const label = button.querySelector(".label");
  const wasText = label.textContent;
  const found = new Map();
  for (const [language, words] of Object.entries(labels)) {
    for (const scale of scales) {
      root.className = wasClass.replace(/scale-\d+/, `scale-${scale}`);
      root.lang = language;
      label.textContent = words;
      for (const fault of boxFaults(button, words)) {
        if (!found.has(fault)) found.set(fault, `${fault} in ${language} at ${scale} % text`);
      }
    }
  }
  [root.className, root.lang, label.textContent] = [wasClass, wasLanguage, wasText];
  return colorFaults(button).concat([...found.values()]);
}
