import { raw } from "hono/html";
import { encode } from "uqr";
import { Layout } from "./layout.tsx";
import type { ChannelProps, Frame, PartFrame } from "./props.ts";

type Props = Pick<ChannelProps, "channel" | "snippet" | "link"> & PartFrame;

/** How to write to a messenger as a customer does. */
export function TryIt({ t, home, channel, snippet, link }: Props) {
  if (channel.state !== "active" || (!link && !snippet)) return null;
  return (
    <>
      <h2>{t.trying.title}</h2>
      {link && (
        <div class="try">
          <QrCode text={link} label={t.trying.code({ link })} />
          <p>
            {t.trying.scan} <a href={link}>{link.replace(/^https:\/\//, "")}</a>
          </p>
        </div>
      )}
      {snippet && (
        <p>
          <a href={`${home}/channels/${encodeURIComponent(channel.id)}/try`}>{t.trying.page}</a>
        </p>
      )}
    </>
  );
}

/** Light modules around the code, as its standard asks for. */
const QUIET = 4;

function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QUIET });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
}

/** A page with the chat, as on the shop's own site. */
export function TryPage({ channel, line, ...frame }: Frame & { channel: { id: string; name: string }; line: string }) {
  const { t, home } = frame;
  return (
    <Layout {...frame} title={channel.name}>
      <p>
        <a href={`${home}/channels/${encodeURIComponent(channel.id)}`}>{channel.name}</a>
      </p>
      <section class="card beside">
        <h1>{t.trying.title}</h1>
        <p>{t.trying.hint}</p>
      </section>
      {raw(line)}
    </Layout>
  );
}
