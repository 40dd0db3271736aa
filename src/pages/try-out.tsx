import { PageHead } from "gangway-ui/page-head";
import { raw } from "hono/html";
import { encode } from "uqr";
import { Layout } from "./layout.tsx";
import type { ChannelProps, Frame, PartFrame } from "./props.ts";

type Props = Pick<ChannelProps, "channel" | "snippet" | "link" | "tryOut" | "standIn"> & PartFrame;

/** How to write to a working channel as a customer does. */
export function TryIt(props: Props) {
  const { t, channel, snippet, link, tryOut, standIn } = props;
  if (channel.state !== "active" || !(link || snippet || tryOut || standIn)) return null;
  return (
    <section class="card">
      <h2>{t.tryOut.title}</h2>
      <WaysToWrite {...props} />
    </section>
  );
}

/** `aside` opens the links in a new window. */
export function WaysToWrite({ t, home, channel, snippet, link, tryOut, standIn, aside }: Props & { aside?: boolean }) {
  const page = `${home}/channels/${encodeURIComponent(channel.id)}/try`;
  const how = tryOut?.[t.language];
  const target = aside ? { target: "_blank", rel: "noopener" } : {};
  return (
    <>
      {link && (
        <div class="try">
          <QrCode text={link} label={t.tryOut.code({ link })} />
          <p>
            {how ?? t.tryOut.scan}{" "}
            <a href={link} {...target}>
              {link.replace(/^https:\/\//, "")}
            </a>
          </p>
        </div>
      )}
      {!link && how && <p>{how}</p>}
      {snippet && (
        <p>
          <a href={page} {...target}>
            {t.tryOut.page}
          </a>
        </p>
      )}
      {standIn && (
        <p>
          <a class="button" href={page} {...target}>
            {t.trace.open}
          </a>
        </p>
      )}
    </>
  );
}

/** Width of the light border around a QR code, in modules, as the standard requires. */
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

/** A page with the chat, as it looks on the shop's own site. */
export function TryPage({ channel, line, ...frame }: Frame & { channel: { id: string; name: string }; line: string }) {
  const { t, home } = frame;
  return (
    <Layout {...frame} title={channel.name}>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[
          { text: t.looks.sections.channels, href: home },
          { text: channel.name, href: `${home}/channels/${encodeURIComponent(channel.id)}` },
        ]}
        title={t.tryOut.title}
      />
      <section class="card beside">
        <p>{t.tryOut.hint}</p>
      </section>
      {raw(line)}
    </Layout>
  );
}
