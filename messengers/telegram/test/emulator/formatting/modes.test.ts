import { describe, expect, it } from "vitest";
import { kept } from "./marked.ts";

const refused = (text: string, mode: string) => kept(text, mode)[0].replace("Bad Request: can't parse entities: ", "");

// Errors and offsets: parse_markdown, parse_markdown_v2 and parse_html of TDLib's td/telegram/MessageEntity.cpp.

describe("MarkdownV2", () => {
  it("marks everything that the published page shows", () => {
    const text =
      "*bold* _italic_ __under__ ~gone~ ||hid|| `code` [link](http://e.com/a?b#c) [Ash](tg://user?id=7) ![⛵](tg://emoji?id=536) ![10:00](tg://time?unix=1700000000&format=wDT)";
    expect(kept(text, "MarkdownV2")).toEqual([
      "bold italic under gone hid code link Ash ⛵ 10:00",
      "bold bold",
      "italic italic",
      "underline under",
      "strikethrough gone",
      "spoiler hid",
      "code code",
      "text_link link http://e.com/a?b#c",
      "text_mention Ash [object Object]",
      "custom_emoji ⛵ 536",
      "date_time 10:00 1700000000 wDT",
    ]);
  });

  it("reads the language of a block and skips the line break after it", () => {
    expect(kept("```ts\nlet a;\n```", "MarkdownV2")).toEqual(["let a;", "pre let a; ts"]);
    expect(kept("```\nlet a;```", "MarkdownV2")).toEqual(["let a;", "pre let a;"]);
    expect(kept("`a\\`b*`", "MarkdownV2")).toEqual(["a`b*", "code a`b*"]);
  });

  it("quotes lines, and makes a quotation that ends with two bars expandable", () => {
    expect(kept(">one\n>two\nthree\n**>four\n>five||", "MarkdownV2")).toEqual([
      "one\ntwo\nthree\nfour\nfive",
      "blockquote one\ntwo\n",
      "expandable_blockquote four\nfive",
    ]);
  });

  it("cuts an outer mark where an inner one begins", () => {
    expect(kept("*a _b_ c*", "MarkdownV2")).toEqual(["a b c", "bold a ", "bold b c", "italic b"]);
    expect(kept("*a [b](e.com) c*", "MarkdownV2")).toEqual([
      "a b c",
      "bold a ",
      "text_link b http://e.com/",
      "bold b",
      "bold  c",
    ]);
  });

  it.each([
    ["1.5", "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ["a!", "Character '!' is reserved and must be escaped with the preceding '\\'"],
    ["a|b", "Character '|' is reserved and must be escaped with the preceding '\\'"],
    ["a > b", "Character '>' is reserved and must be escaped with the preceding '\\'"],
    ["*a", "Can't find end of Bold entity at byte offset 0"],
    ["ы 🌊 _a", "Can't find end of Italic entity at byte offset 8"],
    ["a __b", "Can't find end of Underline entity at byte offset 2"],
    ["a ~b", "Can't find end of Strikethrough entity at byte offset 2"],
    ["a ||b", "Can't find end of Spoiler entity at byte offset 2"],
    ["a `b", "Can't find end of Code entity at byte offset 2"],
    ["a ```b", "Can't find end of Pre entity at byte offset 2"],
    ["a ```ts\nb", "Can't find end of PreCode entity at byte offset 2"],
    ["a [b", "Can't find end of TextUrl entity at byte offset 2"],
    ["[ы](e.com", "Can't find end of a URL at byte offset 5"],
    ["![a]", "The entity must contain a tg://emoji or tg://time URL"],
    ["![a](http://e.com)", "Invalid tg://emoji or tg://time URL specified"],
    [">a *b\nc*", "Can't find end of Bold entity at byte offset 3"],
    ["*_a*_", "Can't find end of Italic entity at byte offset 4"],
  ])("refuses %j", (text, words) => expect(refused(text, "MarkdownV2")).toBe(words));
});

describe("Markdown", () => {
  it("marks what the older mode knows, and accepts escapes", () => {
    expect(kept("*b* _i_ `c` [l](e.com) \\*x ```py\nq```", "Markdown")).toEqual([
      "b i c l *x q",
      "bold b",
      "italic i",
      "code c",
      "text_link l http://e.com/",
      "pre q py",
    ]);
  });

  it.each([
    ["snake_case", "Can't find end of the entity starting at byte offset 5"],
    ["цена *5", "Can't find end of the entity starting at byte offset 9"],
    ["[a", "Can't find end of the entity starting at byte offset 0"],
    ["```a``", "Can't find end of the entity starting at byte offset 0"],
  ])("refuses %j", (text, words) => expect(refused(text, "Markdown")).toBe(words));
});

describe("HTML", () => {
  it("marks every tag, by any of its names", () => {
    const text =
      '<b>a</b><strong>b</strong> <i>c</i> <em>d</em> <u>e</u> <ins>f</ins> <s>g</s> <strike>h</strike> <del>i</del> <tg-spoiler>j</tg-spoiler> <span class="tg-spoiler">k</span> <code>l</code> <pre>m</pre> <a href=\'http://e.com/?a=1&amp;b\'>n</a> <tg-emoji emoji-id="53">o</tg-emoji> <blockquote>p</blockquote> <blockquote expandable>q</blockquote> <tg-time unix="5" format="r">r</tg-time>';
    expect(kept(text, "HTML").slice(1)).toEqual([
      "bold ab",
      "italic c",
      "italic d",
      "underline e",
      "underline f",
      "strikethrough g",
      "strikethrough h",
      "strikethrough i",
      "spoiler j",
      "spoiler k",
      "code l",
      "pre m",
      "text_link n http://e.com/?a=1&b",
      "custom_emoji o 53",
      "blockquote p",
      "expandable_blockquote q",
      "date_time r 5 r",
    ]);
  });

  it("decodes four named references and every numeric one, and leaves the rest", () => {
    expect(kept("&lt;&gt;&amp;&quot; &#1099; &#x1F30A; &nbsp; &copy; & &#0; &#12345678;", "HTML")).toEqual([
      '<>&" ы 🌊 &nbsp; &copy; & &#0; &#12345678;',
    ]);
  });

  it("merges pre and code on the same text", () => {
    expect(kept('<pre><code class="language-ts">a</code></pre>', "HTML")).toEqual(["a", "pre a ts"]);
    expect(kept('<code class="language-ts">a</code>', "HTML")).toEqual(["a", "code a"]);
  });

  it.each([
    ["a < b", 'Unsupported start tag "" at byte offset 2'],
    ["ы<br>", 'Unsupported start tag "br" at byte offset 2'],
    ["<P>a</P>", 'Unsupported start tag "p" at byte offset 0'],
    ["<b>a", 'Can\'t find end tag corresponding to start tag "b"'],
    ["<b><i>a</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
    ["a</b>", "Unexpected end tag at byte offset 1"],
    ["ы<b", "Unclosed start tag at byte offset 2"],
    ["<b>a</b", "Unclosed end tag at byte offset 4"],
    ["<a href", 'Unclosed start tag "a" at byte offset 0'],
    ["<a href=", 'Unclosed start tag "a" at byte offset 0'],
    ['<a href="x', "Unclosed start tag at byte offset 0"],
    ["<a href=x/y>a</a>", "Unexpected end of name token at byte offset 8"],
    ["<b =x>a</b>", 'Empty attribute name in the tag "b" at byte offset 0'],
    ["<span>a</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ['<tg-emoji emoji-id="x">a</tg-emoji>', "Invalid custom emoji identifier specified"],
    [
      "&#xd83c;",
      "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units",
    ],
  ])("refuses %j", (text, words) => expect(refused(text, "HTML")).toBe(words));
});

describe("a parse mode", () => {
  it("is case-insensitive, and an unknown one is refused", () => {
    expect(kept("<b>a</b>", "html")).toEqual(["a", "bold a"]);
    expect(kept("*a*", "markdownV2")).toEqual(["a", "bold a"]);
    expect(kept("*a*", "none")).toEqual(["*a*"]);
    expect(kept("*a*", "Rich")).toEqual(["Bad Request: unsupported parse_mode"]);
    expect(kept("ы".repeat(16_385))).toEqual(["Bad Request: text is too long"]);
  });
});

describe("given entities", () => {
  const bold = (offset: number, length: number) => [{ type: "bold", offset, length }];

  it("are checked in order", () => {
    const given = (...entities: unknown[]) => kept("ab", undefined, entities)[0];
    expect(given(7)).toBe("Bad Request: can't parse MessageEntity: expected an Object");
    expect(given({ type: "bold", length: 1 })).toBe(
      "Bad Request: can't parse MessageEntity: Can't find field \"offset\"",
    );
    expect(given({ type: "bold", offset: true, length: 1 })).toBe(
      'Bad Request: can\'t parse MessageEntity: Field "offset" must be of type Number',
    );
    expect(given({ type: "loud", offset: 0, length: 1 })).toBe(
      "Bad Request: can't parse MessageEntity: Unsupported type specified",
    );
    expect(given({ type: "text_link", offset: 0, length: 1 })).toBe(
      "Bad Request: can't parse MessageEntity: Can't find field \"url\"",
    );
    expect(given({ type: "text_link", offset: 0, length: 1, url: "ftp://e.com" })).toBe(
      "Bad Request: entity URL 'ftp://e.com' is invalid: Unsupported URL protocol",
    );
    expect(kept("ab", undefined, "[broken")).toEqual(["ab"]);
    expect(kept("ab", undefined, JSON.stringify(bold(0, 1)))).toEqual(["ab", "bold a"]);
    expect(kept("@robin", undefined, [{ type: "url", offset: 0, length: 6 }])).toEqual(["@robin", "mention @robin"]);
  });

  it("that do not fit the text are refused with their offsets", () => {
    expect(kept("ы🌊", undefined, bold(2, 1))[0]).toBe(
      "Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 6",
    );
    expect(kept("ы🌊", undefined, bold(0, 2))[0]).toBe(
      "Bad Request: entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 6",
    );
    expect(kept("ab", undefined, bold(1, 3))[0]).toBe(
      "Bad Request: entity beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 4",
    );
    expect(kept("ab", undefined, bold(3, 3))[0]).toBe(
      "Bad Request: entity begins after the end of the text at UTF-16 offset 3",
    );
    expect(kept("ab", undefined, bold(-1, 3))[0]).toBe("Bad Request: receive an entity with incorrect offset -1");
    expect(kept("\ud800", undefined)[0]).toBe("Bad Request: strings must be encoded in UTF-8");
  });

  it("are joined, cut and dropped so that none crosses another", () => {
    const given = (...entities: [string, number, number][]) =>
      kept(
        "abcdef",
        undefined,
        entities.map(([type, offset, length]) => ({ type, offset, length, url: "e.com" })),
      ).slice(1);
    expect(given(["bold", 0, 2], ["bold", 2, 2])).toEqual(["bold abcd"]);
    expect(given(["bold", 0, 4], ["italic", 2, 4])).toEqual(["bold ab", "italic cdef", "bold cd"]);
    expect(given(["code", 1, 3], ["bold", 0, 6])).toEqual(["bold a", "code bcd", "bold ef"]);
    expect(given(["text_link", 0, 4], ["code", 2, 4])).toEqual(["text_link abcd http://e.com/"]);
    expect(given(["blockquote", 0, 4], ["text_link", 2, 4])).toEqual(["blockquote abcd"]);
    expect(given(["blockquote", 0, 4], ["blockquote", 2, 4])).toEqual(["blockquote abcd"]);
  });

  it("shift with cleaned and trimmed text", () => {
    expect(kept(" \n a\r\nb\tc \u202e ", undefined, bold(6, 3))).toEqual(["a\nb c", "bold b c"]);
    expect(kept("  a  ", undefined, bold(0, 5))).toEqual(["  a", "bold   a"]);
  });
});
