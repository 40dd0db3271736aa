import type { PartFrame } from "./props.ts";

interface Props extends PartFrame {
  /** Where it is posted to: what is searched belongs in no address, nor in a browser's history. */
  action: string;
  formToken: string;
  words: Record<"hint" | "text" | "search", string> & { none(values: { text: string }): string };
  /** What was searched, and whether anything was found. */
  text: string;
  found?: unknown[];
}

export function SearchForm({ t, home, action, formToken, words, text, found }: Props) {
  return (
    <>
      <p class="hint">{words.hint}</p>
      <form method="post" action={action}>
        <input type="hidden" name="formToken" value={formToken} />
        <label for="text">{words.text}</label>
        <input id="text" name="text" value={text} maxlength={200} required autocomplete="off" />
        <div class="choices">
          <button type="submit" class="button primary">
            {words.search}
          </button>
          <a class="button" href={home}>
            {t.account.title}
          </a>
        </div>
      </form>
      {found?.length === 0 && <p role="status">{words.none({ text })}</p>}
    </>
  );
}
