import { describe, expect, it } from "vitest";
import { kept } from "./marked.ts";

const found = (text: string) => kept(text).slice(1);

// Patterns: find_entities in TDLib's td/telegram/MessageEntity.cpp.
describe("entities that Telegram detects itself", () => {
  it.each<[string, string[]]>([
    ["@robin and @gif, not @rob or a@robin", ["mention @robin", "mention @gif"]],
    [`@${"a".repeat(32)} @${"a".repeat(33)}`, [`mention @${"a".repeat(32)}`]],
    ["/start /help@harbour_bot a/b <b/c> /x/y", ["bot_command /start", "bot_command /help@harbour_bot"]],
    ["/привет /start! /start@ab", ["bot_command /start"]],
    ["#sale #распродажа_5 #12 #a#b x#c #x@shop", ["hashtag #sale", "hashtag #распродажа_5", "hashtag #x@shop"]],
    ["$USD $1INCH $usd $TOOLONGNAME US$EUR", ["cashtag $USD", "cashtag $1INCH"]],
    [
      "+1 (212) 555-0123 or +34600123456, not 600123456",
      ["phone_number +1 (212) 555-0123", "phone_number +34600123456"],
    ],
  ])("%s", (text, marks) => expect(found(text)).toEqual(marks));

  it.each<[string, string[]]>([
    ["see example.com.", ["url example.com"]],
    ["http://a.bc/d(e)f, (http://z.com/path)", ["url http://a.bc/d(e)f", "url http://z.com/path"]],
    ["HTTPS://Example.com:8443/a?b=c#d!", ["url HTTPS://Example.com:8443/a?b=c#d"]],
    ["ftp://files.org sftp://files.org", ["url ftp://files.org"]],
    ["yandex.рф/путь and 192.168.0.1:80 and 300.1.1.1", ["url yandex.рф/путь", "url 192.168.0.1:80"]],
    ["node.js file.txt a..b a.b end.of.sentence", []],
    ["README.md", ["url README.md"]],
    ["https://localhost/x http://a.b", []],
    ["http://user:pass@host.com/x", ["url http://user:pass@host.com/x"]],
    ["under_score.com a.under_score.com -x.com x-.com", ["url -x.com"]],
    [
      "tg://resolve?domain=robin ton://transfer/x tg:nothing",
      ["url tg://resolve?domain=robin", "url ton://transfer/x"],
    ],
    ["user@mail.com, mailto:first.last@x.org", ["email user@mail.com", "email first.last@x.org"]],
    ["«example.com» <example.org>", ["url example.com", "url example.org"]],
  ])("%s", (text, marks) => expect(found(text)).toEqual(marks));

  it("skips links, mentions and code, but not bold text", () => {
    const marks = (type: string) => kept("e.com", undefined, [{ type, offset: 0, length: 5, url: "x.com" }]).slice(1);
    expect(marks("code")).toEqual(["code e.com"]);
    expect(marks("text_link")).toEqual(["text_link e.com http://x.com/"]);
    expect(marks("bold")).toEqual(["url e.com", "bold e.com"]);
    expect(marks("blockquote")).toEqual(["blockquote e.com", "url e.com"]);
  });
});
