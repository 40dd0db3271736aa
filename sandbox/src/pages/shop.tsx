import { html } from "hono/html";

/** A shop's page with the chat widget, under a strict Content-Security-Policy. */
export function ShopPage({ module, channel }: { module: string; channel: string }) {
  return (
    <>
      {html`<!doctype html>`}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>Quay &amp; Co. – rope, canvas, brass</title>
          <link rel="stylesheet" href="/shop.css" />
          <script src={`${module}/channels/webchat/widget.js`} data-channel={channel} async />
        </head>
        <body>
          <header>
            <strong>Quay &amp; Co.</strong>
            <nav>Rope · Canvas · Brass</nav>
          </header>
          <main>
            <h1>Made for weather</h1>
            <p>
              A demonstration shop. The chat in the corner is the only thing on this page that comes from elsewhere.
            </p>
            <ul>
              {["Three-strand rope, 12 mm", "Deck bag, waxed canvas", "Brass cleat, 150 mm", "Wool watch cap"].map(
                (name) => (
                  <li>
                    <div class="picture" />
                    <h2>{name}</h2>
                  </li>
                ),
              )}
            </ul>
          </main>
        </body>
      </html>
    </>
  );
}
