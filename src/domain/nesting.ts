/** Deeper or larger than any body that a gateway, messenger or widget has a reason to send. */
const DEEPEST = 64;
const MOST_VALUES = 20_000;

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [91, 123, 93, 125];

/** Whether a JSON text nests or holds more than is worth parsing. Looks at the text alone, and stops at the first sign. */
export function isOverNested(text: string): boolean {
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COMMA) values += 1;
    if (depth > DEEPEST || values > MOST_VALUES) return true;
  }
  return false;
}

/** Of the text that begins at `from`; a quote behind an odd number of backslashes is part of it. */
function endOfText(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end > 0) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}
