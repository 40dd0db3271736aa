import { type TemplateComponent, templateRefusal } from "./template.ts";

// Templates of the category AUTHENTICATION: Meta writes their words. Here in English for every language.

const ADDRESS = "https://www.whatsapp.com/otp/code/";
const EXAMPLE = "123456";

/** The components that a business hands in, as Meta makes them of it. Throws GraphRefusal. */
export const withMetasWords = (components: TemplateComponent[]): TemplateComponent[] => components.map(worded);

function worded(component: TemplateComponent): TemplateComponent {
  const { type, text, buttons, ...more } = component;
  if (text !== undefined || type === "HEADER") throw ownWords(type);
  if (type === "BODY") {
    const advice = more.add_security_recommendation === true ? " For your security, do not share this code." : "";
    return { type, text: `*{{1}}* is your verification code.${advice}`, example: { body_text: [[EXAMPLE]] } };
  }
  if (type === "FOOTER") return { type, text: `This code expires in ${String(more.code_expiration_minutes)} minutes.` };
  return { type, buttons: (buttons ?? []).map(({ text: title = "Copy code", ...button }) => otpButton(title, button)) };
}

/** Handed in as a button of its own kind, listed as a link with the code. */
function otpButton(text: string, { otp_type: kind }: Record<string, unknown>) {
  const url = `${ADDRESS}?otp_type=${String(kind).toUpperCase()}&code=otp`;
  return { type: "URL" as const, text, url: `${url}{{1}}`, example: [url + EXAMPLE] };
}

const ownWords = (type: string) =>
  templateRefusal(
    2388072,
    "The message template's format is incorrect",
    `${type} of an authentication template cannot have words of your own.`,
  );
