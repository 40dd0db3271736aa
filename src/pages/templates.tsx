import { State, type Tone } from "gangway-ui/state";
import { sentence } from "../domain/explanations.ts";
import type { ChannelProps, Strings, TemplatesProps } from "./props.ts";
import { SmallForm } from "./small-form.tsx";
import { timeText } from "./time-text.ts";

interface Props {
  t: Strings;
  channel: Pick<ChannelProps["channel"], "id" | "name" | "state">;
  templates: TemplatesProps;
  /** Path of the channel's page. */
  at: string;
  formToken: string;
  /** Default: UTC. */
  timeZone?: string;
}

/** A channel's templates as the messenger lists them. */
export function Templates({ t, channel, templates, at, formToken, timeZone }: Props) {
  const words = t.templates;
  return (
    <div class="card">
      <h2>{words.title}</h2>
      <p class="hint">{words.lead}</p>
      <div data-fresh={`templates-list-${channel.id}`}>
        <Last t={t} templates={templates} timeZone={timeZone} />
        {templates.at !== undefined && templates.rows.length === 0 && <p>{words.none}</p>}
        {templates.rows.length > 0 && <List t={t} rows={templates.rows} />}
        {templates.more > 0 && <p>{words.more({ count: templates.more })}</p>}
      </div>
      {channel.state === "active" && (
        <SmallForm action={`${at}/templates`} formToken={formToken} label={words.button} of={channel.name} />
      )}
    </div>
  );
}

function Last({ t, templates: { at, failed }, timeZone }: Pick<Props, "t" | "templates" | "timeZone">) {
  const words = t.templates;
  return (
    <>
      <p>{at === undefined ? words.never : words.at({ at: timeText(t, at, timeZone) })}</p>
      {failed && (
        <p class="problem" role="alert">
          {words.failed({ at: timeText(t, failed.at, timeZone), text: sentence(failed.error) })}
        </p>
      )}
    </>
  );
}

function List({ t, rows }: { t: Strings; rows: TemplatesProps["rows"] }) {
  const words = t.templates;
  return (
    <ul class="rows" aria-label={words.title}>
      {rows.map(({ name, language, category, status, quality, rejection, unusable }) => (
        <li>
          <span>
            <strong>{name}</strong>
            <span class="detail">
              {words.lang}: {languageName(t, language)} · {words.category}: {categoryName(t, category)}
              {quality && ` · ${words.quality}: ${words.qualities[quality]}`}
            </span>
            {rejection && <span class="detail">{words.rejections[rejection]}</span>}
            {(status === "paused" || status === "disabled") && <span class="detail">{words.hints[status]}</span>}
            {unusable && <span class="detail">{words.unusable({ reason: unusable })}</span>}
          </span>
          <State tone={TONES[status]}>{words.states[status]}</State>
        </li>
      ))}
    </ul>
  );
}

const TONES: Record<TemplatesProps["rows"][number]["status"], Tone> = {
  approved: "success",
  pending: "info",
  rejected: "danger",
  paused: "danger",
  disabled: "danger",
};

/** Names a messenger's language code, such as `es_MX`; unknown codes are shown as they are. */
function languageName({ language }: Strings, code: string): string {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(code.replaceAll("_", "-")) ?? code;
  } catch {
    return code;
  }
}

const categoryName = ({ templates: { categories } }: Strings, category: string): string => {
  const known = category.toLowerCase();
  return Object.hasOwn(categories, known) ? categories[known as keyof typeof categories] : category;
};
