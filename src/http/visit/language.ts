import { type Language, languageOf } from "gangway-messenger/language";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { getCookie, setCookie } from "hono/cookie";
import { totalsOf } from "../../module/messages/undelivered.ts";
import { type Strings, strings } from "../../pages/i18n/strings.ts";
import type { Frame } from "../../pages/props.ts";
import { type Env, pageIn, readBody } from "../serving/request.ts";
import { attributesFor, type CookieSettings } from "./cookies.ts";
import { isForm, ownOrigin } from "./cross-site.ts";

type C = Context<Env>;

const COOKIE = "gangway-language";
/** How long a choice is remembered, in seconds. */
const YEAR_SECONDS = 365 * 86_400;

/** In order: the user's choice, the account's language, the browser's, English. */
export function stringsFor(c: C): Strings {
  const language = languageOf(getCookie(c, COOKIE)) ?? languageOf(c.get("visit")?.account.language) ?? fromBrowser(c);
  return strings[language];
}

const fromBrowser = (c: C): Language => {
  const found = accepts(c, {
    header: "Accept-Language",
    supports: [],
    default: "en",
    match: (wanted) =>
      wanted
        .filter(({ q }) => q > 0)
        .sort((a, b) => b.q - a.q)
        .map(({ type }) => languageOf(type))
        .find(Boolean) ?? "en",
  });
  return found as Language;
};

/** What every page shows around its content. */
export const frameOf = async (c: C, moduleName: string): Promise<Frame> => ({
  ...plainFrameOf(c, moduleName),
  visit: await openVisit(c),
});

async function openVisit(c: C): Promise<Frame["visit"]> {
  const counts = c.get("visit") && (await c.get("countEnded")?.());
  return counts && { ended: totalsOf(counts), formToken: c.get("formToken") };
}

/** The frame without figures if the database does not answer. */
export const safeFrameOf = (c: C, moduleName: string): Promise<Frame> =>
  frameOf(c, moduleName).catch(() => plainFrameOf(c, moduleName));

function plainFrameOf(c: C, moduleName: string): Frame {
  const visit = c.get("visit");
  return {
    t: stringsFor(c),
    moduleName,
    brand: c.get("brand"),
    path: pathOf(c),
    home: pageIn(c),
    crm: visit?.account.crmUrl,
    timeZone: visit?.account.timeZone,
    supportUntil: visit?.endsAt,
  };
}

/** The frame of a page that requires a visit. */
export const visitFrameOf = async (c: C, moduleName: string) => ({
  ...(await frameOf(c, moduleName)),
  formToken: c.get("formToken"),
});

/** Pages to return to after choosing a language. Other addresses may hold a secret or lead elsewhere. */
const PAGE =
  /^\/(erased\/[\w-]{22}|account(\/[\w-]{22}(\/disconnect|\/settings|\/key|\/add|\/undelivered(\/all)?|\/customers|\/history|\/messages(\/\d{1,15})?|\/add\/[\w-]{1,40}(\/choose|\/as\/[\w-]{1,40})?|\/channels\/[\w-]{1,40}(\/preview|\/try|\/remove)?)?)?)?$/;

/** The current path, or its parent page: a form's own address may not be a page. */
function pathOf(c: C): string {
  const { path } = c.req;
  if (PAGE.test(path)) return path;
  return path.startsWith("/account") ? pageIn(c) : "/";
}

/** `POST /language`: remembers the choice and returns to the page. Needs no form token: it changes nothing else. */
export function languageChoice({ formBytes, ...settings }: CookieSettings & { formBytes: number }) {
  const { publicUrl } = settings;
  return async (c: C): Promise<Response> => {
    const form = new URLSearchParams(await readBody(c, formBytes));
    const language = languageOf(form.get("language"));
    if (language && isForm(c) && ownOrigin(c, publicUrl))
      setCookie(c, COOKIE, language, { ...attributesFor(settings), maxAge: YEAR_SECONDS });
    const to = form.get("to") ?? "";
    return c.redirect(PAGE.test(to) ? to : "/", 303);
  };
}
