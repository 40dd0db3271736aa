import { Alert } from "gangway-ui/alert";
import { PageHead } from "gangway-ui/page-head";
import { raw } from "hono/html";
import { SettingsForm } from "./channel-form.tsx";
import { Layout } from "./layout.tsx";
import type { ChannelProps, Frame, PartFrame, PreviewProps, Strings } from "./props.ts";

interface Props extends Frame {
  formToken: string;
  channel: { id: string; name: string };
  /** The channel's settings, if their effect can be previewed. */
  view?: Pick<ChannelProps, "channel" | "schema" | "words" | "unsure" | "snippet">;
  typed: { text: string; kind: string; count: string; size: string; buttons: string };
  preview?: PreviewProps;
}

/** Shows how a message would be delivered; sends nothing. */
export function PreviewPage({ formToken, channel, typed, preview, view, ...frame }: Props) {
  const { t, home } = frame;
  const { preview: words } = t;
  const design = view?.snippet?.design;
  return (
    <Layout {...frame} title={words.title}>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[
          { text: t.looks.sections.channels, href: home },
          { text: channel.name, href: `${home}/channels/${encodeURIComponent(channel.id)}` },
        ]}
        title={words.title}
        lead={design ? undefined : words.hint}
      />
      {view && design && <Design {...frame} view={view} formToken={formToken} design={design} />}
      {view && design && (
        <div>
          <h2>{words.message}</h2>
          <p class="lead">{words.hint}</p>
        </div>
      )}
      <div class="split even">
        <section class="card">
          <Sketch {...{ t, home, formToken, channel, typed }} />
        </section>
        {preview && <Shown t={t} preview={preview} />}
      </div>
    </Layout>
  );
}

type SketchProps = PartFrame & Pick<Props, "formToken" | "channel" | "typed">;

/** The form for the message to preview. */
function Sketch({ t: { preview: words }, home, formToken, channel, typed }: SketchProps) {
  return (
    <form method="post" action={`${home}/channels/${encodeURIComponent(channel.id)}/preview`}>
      <input type="hidden" name="formToken" value={formToken} />
      <label for="text">{words.text}</label>
      <textarea id="text" name="text" rows={4} maxlength={20_000}>
        {typed.text}
      </textarea>
      <div class="fields">
        <div>
          <label for="kind">{words.kind}</label>
          <select id="kind" name="kind">
            {Object.entries(words.kinds).map(([kind, title]) => (
              <option value={kind} selected={kind === typed.kind}>
                {title}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label for="count">{words.count}</label>
          <input id="count" name="count" type="number" min="0" max="20" value={typed.count} />
        </div>
        <div>
          <label for="size">{words.size}</label>
          <input id="size" name="size" type="number" min="0" max="20" step="any" value={typed.size} />
        </div>
      </div>
      <label for="buttons">{words.buttons}</label>
      <textarea id="buttons" name="buttons" rows={2} maxlength={2_000}>
        {typed.buttons}
      </textarea>
      <button type="submit" class="button primary">
        {words.submit}
      </button>
    </form>
  );
}

type DesignProps = Frame & { view: NonNullable<Props["view"]>; formToken: string; design: string };

/** The settings form beside a live preview of their effect on a sketched page. */
function Design({ t, home, view, formToken, design }: DesignProps) {
  return (
    <div class="designer">
      <section class="card" id="design">
        <h2>{t.preview.design}</h2>
        <p class="hint">{t.preview.designHint}</p>
        <SettingsForm
          {...{ t, view, formToken }}
          id="designed"
          action={`${home}/channels/${encodeURIComponent(view.channel.id)}`}
          unfolded
        />
      </section>
      <div class="stage" aria-hidden="true">
        <span />
        <span />
        <span />
        <span />
        <span />
        <span />
      </div>
      {raw(design)}
    </div>
  );
}

/** The messages as the customer gets them, and what differs from the original. */
function Shown({ t, preview }: { t: Strings; preview: PreviewProps }) {
  const { preview: words } = t;
  return (
    <section class="card stack" data-preview>
      <h2>{words.steps({ count: preview.steps.length })}</h2>
      <ol class="bubbles">
        {preview.steps.map((step) => (
          <li data-from="agent">
            <span class="hint">
              {[words.step[step.kind as keyof typeof words.step], ...step.files].filter(Boolean).join(" · ")}
            </span>
            {step.text && <span class="said detail">{step.text}</span>}
            {step.buttons.length > 0 && (
              <span class="shelf">
                {step.buttons.map((title) => (
                  <span class="chip">{title}</span>
                ))}
              </span>
            )}
          </li>
        ))}
      </ol>
      {preview.losses.length === 0 ? (
        <Alert tone="success">{words.whole}</Alert>
      ) : (
        <Alert tone="warning" title={words.losses}>
          <ul>
            {preview.losses.map((loss) => (
              <li>{loss}</li>
            ))}
          </ul>
        </Alert>
      )}
    </section>
  );
}
