import { Empty } from "gangway-ui/empty";
import { Icon } from "gangway-ui/icon";

interface Props {
  /** The form is posted, so that the text is in no address and no browser history. */
  action: string;
  formToken: string;
  words: Record<"hint" | "text" | "search", string> & { none(values: { text: string }): string };
  /** The searched text, and whether anything was found. */
  text: string;
  found?: unknown[];
}

export function SearchForm({ action, formToken, words, text, found }: Props) {
  return (
    <>
      <p class="hint">{words.hint}</p>
      <form method="post" action={action}>
        <input type="hidden" name="formToken" value={formToken} />
        <label for="text">{words.text}</label>
        <div class="field-row">
          <input id="text" name="text" type="search" value={text} maxlength={200} required autocomplete="off" />
          <button type="submit" class="button primary">
            <Icon name="search" />
            {words.search}
          </button>
        </div>
      </form>
      {found?.length === 0 && (
        <div role="status">
          <Empty icon="search" title={words.none({ text })} />
        </div>
      )}
    </>
  );
}
