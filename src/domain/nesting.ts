/** Limits above any body that a gateway, messenger or widget has reason to send. */
const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [91, 123, 93, 125];

/** Whether JSON text is too deep or too large to parse. Scans the text only and stops at the first excess. */
export function isOverNested(text: string, maxValues = MAX_VALUES): boolean {
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COMMA) values += 1;
    if (depth > MAX_DEPTH || values > maxValues) return true;
  }
  return false;
}

/** End of the string that begins at `from`; a quote after an odd number of backslashes is escaped. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end > 0) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}
