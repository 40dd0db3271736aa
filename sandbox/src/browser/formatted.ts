import { el, linked, webAddress } from "gangway-messenger/kit/emulator/browser/dom";

// **bold** *italic* __underline__ ~~struck~~ `code` ```block``` [label](URL), the notation of the unknown `markup`.
// Builds only elements and text nodes, never HTML; an unmatched sign is shown as it is.

const TAGS = { "**": "b", "*": "i", __: "u", _: "i", "~~": "s" } as const;
type Sign = keyof typeof TAGS;

interface Frame {
  /** The opening sign, or a label's bracket; empty: the root. */
  sign: Sign | "[" | "";
  /** Index of the opening run of signs. */
  at: number;
  pieces: (Node | string)[];
}

const PIECE =
  /\\(?<escaped>[\\*`[\]_~])|(?<block>`{3,})(?:[\w+#.-]*\n)?(?<lines>(?=[\s\S]*?\S)[\s\S]+?)\n?\k<block>(?!`)|(?<tick>`{1,2})(?!`)(?<code>[^\n]*?[^\s`][^\n]*?)(?<!`)\k<tick>(?!`)|(?<run>\*+|_+|~+)|\]\((?<url>[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)\)|(?<bracket>\[)|(?<newline>\n)/g;

export function formatted(text: string): Node[] {
  const root: Frame = { sign: "", at: 0, pieces: [] };
  const frames: Frame[] = [root];
  const end = (...pieces: Frame["pieces"]) => void root.pieces.push(...unclosed(frames, 1), ...pieces);
  const add = (...pieces: Frame["pieces"]) => void frames.at(-1)?.pieces.push(...pieces);
  let from = 0;
  for (const match of text.matchAll(PIECE)) {
    const { escaped, lines, code, run, url, bracket, newline } = match.groups ?? {};
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (escaped) add(escaped);
    else if (lines) end(el("pre", {}, lines));
    else if (code) add(el("code", {}, /^ (`.*|.*`) $/.test(code) ? code.slice(1, -1) : code));
    else if (run) readRun(frames, run, { at: match.index, before: text[match.index - 1], after: text[from] });
    else if (bracket) frames.push({ sign: "[", at: match.index, pieces: [] });
    else if (newline) end("\n");
    else if (!closeLabel(frames, url)) add(match[0]);
  }
  add(text.slice(from));
  end();
  return nodesOf(root.pieces);
}

/** Turns unclosed frames back into text. */
const unclosed = (frames: Frame[], from: number): Frame["pieces"] =>
  frames.splice(from).flatMap(({ sign, pieces }) => [sign, ...pieces]);

const lastOf = (frames: Frame[], signs: string[], but = -1): number =>
  frames.reduce((found, { sign, at }, n) => (signs.includes(sign) && at !== but ? n : found), -1);

interface Around {
  at: number;
  before?: string;
  after?: string;
}
const isWord = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);
const isInk = (sign: string | undefined) => sign !== undefined && /\S/.test(sign);

function readRun(frames: Frame[], run: string, { at, before, after }: Around): void {
  const [character = ""] = run;
  let left = run.length > 4 || (character === "~" && run.length !== 2) ? 0 : run.length;
  if (left === 0) frames.at(-1)?.pieces.push(run);
  while (left > 0) {
    const sign = character.repeat(Math.min(left, 2)) as Sign;
    const wanted = left > 2 ? [character, character + character] : [sign];
    const index = lastOf(frames, wanted, at);
    const closed = frames[index];
    if (closed && isInk(before) && !(sign === "_" && isWord(after))) {
      left -= closed.sign.length;
      const tag = TAGS[closed.sign as Sign];
      close(frames, index, (nodes) => el(tag, {}, ...nodes));
    } else if (isInk(after) && !(sign === "_" && isWord(before))) {
      left -= sign.length;
      frames.push({ sign, at, pieces: [] });
    } else {
      frames.at(-1)?.pieces.push(character.repeat(left));
      left = 0;
    }
  }
}

function closeLabel(frames: Frame[], url: string | undefined): boolean {
  const index = lastOf(frames, ["["]);
  const address = webAddress(url) ?? (/^(mailto|tel|tg):/i.test(url ?? "") ? url : undefined);
  if (index < 0 || !address) return false;
  close(frames, index, (nodes) =>
    el("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow" }, ...nodes),
  );
  return true;
}

function close(frames: Frame[], index: number, wrap: (nodes: Node[]) => Node): void {
  const inner = unclosed(frames, index + 1);
  const frame = frames.pop();
  if (frame) frames.at(-1)?.pieces.push(wrap(nodesOf([...frame.pieces, ...inner], frame.sign !== "[")));
}

/** Merges adjacent characters into text nodes with clickable URLs. */
function nodesOf(pieces: Frame["pieces"], withLinks = true): Node[] {
  const nodes: Node[] = [];
  let text = "";
  for (const piece of [...pieces, null]) {
    if (typeof piece === "string") text += piece;
    else {
      nodes.push(...(withLinks ? linked(text) : [document.createTextNode(text)]));
      text = "";
      if (piece) nodes.push(piece);
    }
  }
  return nodes;
}
