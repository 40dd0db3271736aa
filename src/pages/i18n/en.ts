/** Every word that a person reads, in English. Other languages have the same shape. */
export const en = {
  language: "en" as const,
  connect: {
    title: "Connect your account",
    lead: (module: string) => `${module} brings your customers' messages into your CRM, and your answers back to them.`,
    crmUrl: "Address of your CRM account",
    crmUrlHint: "For example https://your-shop.retailcrm.ru",
    apiKey: "API key",
    apiKeyHint:
      "In the CRM: Settings → Integration → API keys. The key needs the rights integration_read and integration_write.",
    submit: "Connect",
    steps: "What happens next",
    step: [
      "We check the key, its rights and the version of your CRM.",
      "The module is registered in your account.",
      "You add the messengers your customers use.",
    ],
  },
  faults: {
    "address-form": () =>
      "This does not look like the address of a CRM account. It should look like https://your-shop.retailcrm.ru",
    "address-host": () =>
      "This module does not serve accounts at this address. Please check the address for typing errors.",
    "key-missing": () => "Please enter the API key exactly as your CRM shows it.",
    "not-a-crm": () => "There is a site at this address, but it is not a CRM. Please check the address.",
    unreachable: () =>
      "We could not reach your CRM at this address. Please check the address and try again in a few minutes.",
    blocked: () =>
      "We could not reach your CRM at this address. Please check the address and try again in a few minutes.",
    "wrong-key": () => "Your CRM does not know this API key. Please copy it again from the CRM's settings.",
    "no-account": () => "There is no CRM account at this address. Please check the address.",
    "no-access": () =>
      "Your CRM refused this API key. Please check in the CRM that the key is switched on and has its rights.",
    rights: (missing: string) =>
      `The API key lacks these rights: ${missing}. Give them to the key in the CRM's settings and try again.`,
    version: () => "Your CRM does not offer version 5 of its API, which this module needs.",
    "gateway-off": () =>
      "The chats of your CRM account are switched off, so a messenger cannot be connected. Switch on the messaging gateway in the CRM's settings and try again.",
    unpaid: () => "Your CRM account has not enough money for this module. Please top it up and try again.",
    busy: () => "Your CRM is busy at the moment. Please try again in a minute.",
    "too-many": () =>
      "Too many API keys are being tried here at the moment, by you or by somebody else. Please try again in a few seconds.",
    refused: (detail: string) => `Your CRM refused the connection${detail ? `: ${detail}` : "."}`,
  } as Record<string, (detail: string) => string>,
  account: {
    title: "Your messengers",
    crm: "CRM account",
    key: (end: string) => `API key ending in ${end}`,
    reconnect: "Change key",
    leave: "Sign out",
    state: {
      working: "Working",
      off: "Switched off in the CRM",
      frozen: "Frozen by the CRM",
    },
    stateHint: {
      working: "",
      off: "Messages from customers are kept and will be delivered when you switch the module on again in the CRM.",
      frozen:
        "Messages from customers are kept and will be delivered when your CRM lifts the freeze, for example after a payment.",
    },
    trouble: (text: string) =>
      `The connection to your CRM has a problem: ${text}. We keep every message and try again by ourselves; connecting again with a new key may help.`,
    none: "No messenger is connected yet. Add the first one below.",
    add: (title: string) => `Add: ${title}`,
    addButton: "Add",
    edit: "Settings",
    save: "Save",
    remove: "Remove",
    removeAsk: "Removing stops this messenger at once. Messages that wait are not delivered any more.",
    removeConfirm: "Remove this messenger",
    resume: "Try again",
    stopped: (text: string) => `Stopped: ${text}`,
    troubled: (text: string) => `There is a problem: ${text}`,
    name: "Name",
    nameHint: "Agents see it in the CRM.",
    secretHint: "Stored, and never shown. Leave it empty to keep it as it is.",
    unsure: {
      label: "When it is not known whether a message arrived",
      hint: "A messenger may take a message and not say so, for example when the line breaks.",
      choices: {
        resend: "Send it again: it may arrive twice",
        hold: "Hold it, and let me decide",
      },
    },
    counts: {
      waiting: "on their way",
      done: "delivered",
      dead: "not delivered",
      held: "waiting for you",
    },
    hole: (events: number) =>
      events > 0
        ? `Our books do not balance: of ${events} accepted we cannot tell what has become. The operator of this module has been alarmed.`
        : `Our books do not balance: ${-events} more have ended than were accepted. The operator of this module has been alarmed.`,
    unreadable:
      "What we keep of this messenger cannot be read any more, so nothing can be sent through it. Remove it and add it again; its messages stay in the CRM.",
    ended: "Messages that were not delivered",
    endedHint: "Nothing here was lost. Sending again puts a message at the end of its chat.",
    when: "When",
    where: "Messenger",
    way: "Direction",
    why: "Reason",
    decide: { again: "Send again", arrived: "It arrived", drop: "Give it up" },
    ways: { inbound: "to the CRM", outbound: "to the customer", ack: "report to the CRM" } as Record<string, string>,
    held: "Perhaps it was delivered: the messenger did not say. Look into the chat, then decide.",
    gone: "(removed)",
    /** The gateway's own codes of an undelivered message, in plain words. */
    codes: {
      general: "It could not be delivered.",
      customer_not_exists: "The customer cannot be reached any more.",
      reply_timed_out: "The messenger's time for an answer is over.",
      spam_suspicion: "The messenger took it for spam.",
      access_restricted: "The messenger does not allow it.",
    } as Record<string, string>,
  },
  entry: {
    title: "Which account?",
    open: "Open now:",
    other: "Asked for:",
    hint: "If you have just opened this module in the CRM of the account that is asked for, go on to it. If you have not, stay where you are: another site may have sent you here.",
    stay: (account: string) => `Stay with ${account}`,
    enter: (account: string) => `Open ${account}`,
  },
  channelFaults: {
    kind: () => "This messenger is not available.",
    name: () => "The name may have at most 100 characters.",
    gone: () => "This messenger is not connected any more.",
    taken: () =>
      "This login is connected to this server already, by this account or another one. Remove it there first, or make another with the messenger.",
    "too-many": () => "This account has as many messengers as it may have. Please remove one first.",
    unfit: () => "The stored settings do not fit this version of the module any more. Please save them once more.",
    messenger: (detail: string) => `The messenger refused the connection: ${detail}`,
    "no-messenger": (detail: string) =>
      `The messenger could not be connected: ${detail}. Please try again in a few minutes.`,
    gateway: (detail: string) => `Your CRM's messaging gateway did not accept the channel: ${detail}`,
  } as Record<string, (detail: string) => string>,
  settingFaults: {
    missing: () => "Please fill in this field.",
    "too-long": (limit: string) => `This is too long: at most ${limit} characters fit.`,
    "too-short": (limit: string) => `This is too short: it needs at least ${limit} characters.`,
    "too-many": (limit: string) => `These are too many: at most ${limit} lines fit.`,
    "too-few": (limit: string) => `These are too few: it needs at least ${limit} lines.`,
    "too-high": (limit: string) => `This is too much: at most ${limit}.`,
    "too-low": (limit: string) => `This is too little: at least ${limit}.`,
    form: () => "This does not have the form that is expected here.",
  } as Record<string, (limit: string) => string>,
  preview: {
    title: "What will the customer get?",
    hint: "Try a message: this shows in what pieces it goes to the messenger, and what is lost on the way. Nothing is sent.",
    text: "Text",
    files: "Files",
    kind: "Kind",
    kinds: { image: "Pictures", file: "Files", audio: "Voice or music" } as Record<string, string>,
    count: "How many",
    size: "Size of each, MB",
    buttons: "Quick replies, one a line",
    submit: "Show",
    steps: (count: number) => (count === 1 ? "One message:" : `${count} messages:`),
    step: { text: "Text", image: "Pictures", file: "Files", audio: "Voice or music" } as Record<string, string>,
    losses: "Otherwise than you made it:",
    whole: "Nothing is lost.",
  },
  done: {
    connected: "Your account is connected.",
    reconnected: "Your account is connected again; your messengers are as they were.",
    added: "The messenger is connected.",
    changed: "The settings are saved.",
    removed: "The messenger is removed.",
    resumed: "The messenger works again.",
    again: "The message is on its way again.",
    arrived: "The message counts as delivered.",
    drop: "The message is given up.",
  },
  noVisit: {
    title: "Please come in from your CRM",
    text: "Open this module in the list of integrations of your CRM account, or connect your account here first.",
  },
  foreign: {
    title: "This form is out of date",
    text: "It was opened too long ago or on another site. Please open the page again and repeat what you did.",
  },
  notFound: { title: "Not found", text: "There is nothing here, or it is not there any more." },
  tooMany: { title: "Too many tries", text: "Please wait a minute and try again." },
  tooLarge: { title: "Too much text", text: "The form was larger than this server accepts." },
  broken: {
    title: "Something went wrong",
    text: "The fault is on our side, and it is recorded. Please try again in a minute.",
  },
  toStart: "To the start",
};
