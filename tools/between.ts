/** The text with `content` between the comments `<!-- name -->` and `<!-- /name -->`. Throws if they are missing. */
export function between(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [begin, end] = [text.indexOf(open), text.indexOf(close)];
  if (begin < 0 || end < begin) throw new Error(`there is no ${open} … ${close}`);
  return `${text.slice(0, begin + open.length)}\n${content}\n${text.slice(end)}`;
}
