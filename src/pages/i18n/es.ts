import type { Translation } from "gangway-messenger/language";
import { es as checking } from "./checking.ts";
import { es as customers } from "./customers.ts";
import type { en } from "./en.ts";
import { es as erased } from "./erased.ts";
import { es as health } from "./health.ts";
import { es as history } from "./history.ts";
import { es as logins } from "./logins.ts";
import { es as looks } from "./looks.ts";
import { es as standing } from "./standing.ts";
import { es as stories } from "./stories.ts";
import { es as supportVisit } from "./support.ts";
import { es as templates } from "./templates.ts";
import { es as testing } from "./testing.ts";
import { es as trace } from "./trace.ts";
import { es as tryOut } from "./try-out.ts";

export const es: Translation<typeof en> = {
  connect: {
    title: "Conecte su cuenta",
    lead: "{module} lleva los mensajes de sus clientes a su CRM y les hace llegar sus respuestas.",
    crmUrl: "Dirección de su cuenta del CRM",
    crmUrlHint: "Por ejemplo, https://su-tienda.retailcrm.es",
    apiKey: "Clave API",
    apiKeyHint:
      "En el CRM: Ajustes → Integración → Claves API. La clave necesita los permisos integration_read e integration_write; con settings_read y notification_write, el módulo usa además el idioma de su cuenta y le avisa en el CRM cuando un canal se detiene.",
    submit: "Conectar",
    steps: "Qué ocurre después",
    step: {
      check: "Comprobamos la clave, sus permisos y la versión de su CRM.",
      register: "Registramos el módulo en su cuenta.",
      messengers: "Usted añade los servicios de mensajería que usan sus clientes.",
    },
  },
  faults: {
    "address-form": "Esto no parece la dirección de una cuenta del CRM. Debe ser como https://su-tienda.retailcrm.es",
    "address-host": "Este módulo no da servicio a cuentas en esta dirección. Compruebe que esté bien escrita.",
    "key-missing": "Introduzca la clave API exactamente como la muestra su CRM.",
    "not-a-crm": "En esta dirección hay un sitio web, pero no es un CRM. Compruebe la dirección.",
    unreachable:
      "No hemos podido conectar con su CRM en esta dirección. Compruébela e inténtelo de nuevo en unos minutos.",
    blocked: "No hemos podido conectar con su CRM en esta dirección. Compruébela e inténtelo de nuevo en unos minutos.",
    "wrong-key": "Su CRM no reconoce esta clave API. Cópiela de nuevo desde los ajustes del CRM.",
    "no-account": "En esta dirección no hay ninguna cuenta del CRM. Compruebe la dirección.",
    "no-access":
      "Su CRM ha rechazado esta clave API. Compruebe en el CRM que la clave esté activa y tenga los permisos necesarios.",
    rights:
      "A la clave API le faltan estos permisos: {missing}. Concédaselos en los ajustes del CRM e inténtelo de nuevo.",
    version: "Su CRM no ofrece la versión 5 de su API, que este módulo necesita.",
    "connected-elsewhere":
      "Este CRM ya está conectado a este módulo con otra dirección. Conéctelo con esa dirección o escriba al administrador de este módulo.",
    "gateway-off":
      "Los chats están desactivados en su cuenta del CRM, por lo que no se puede conectar ningún canal. Active los chats en los ajustes del CRM e inténtelo de nuevo.",
    unpaid: "El saldo de su cuenta del CRM no es suficiente para este módulo. Recargue la cuenta e inténtelo de nuevo.",
    busy: "Su CRM está ocupado en este momento. Inténtelo de nuevo en un minuto.",
    "too-many":
      "En este momento, usted u otra persona está probando demasiadas claves API. Inténtelo de nuevo en unos segundos.",
    refused: "Su CRM ha rechazado la conexión.",
    "refused-because": "Su CRM ha rechazado la conexión: {detail}",
    "register-elsewhere": "Esta clave pertenece a otra cuenta del CRM.",
    "register-form": "La solicitud de conexión está incompleta.",
    "register-token": "La solicitud de conexión no está firmada con el secreto de este módulo.",
    "one-click-off": "La conexión con un clic no está configurada en este servidor.",
  },
  account: {
    crm: "Cuenta del CRM",
    key: "Clave API terminada en {end}",
    reconnect: "Cambiar la clave",
    back: "Volver al CRM",
    leave: "Cerrar sesión",
    state: {
      working: "Funciona",
      off: "Desactivado en el CRM",
      frozen: "Suspendido por el CRM",
    },
    stateHint: {
      working: "",
      off: "Los mensajes de los clientes se guardan y se entregarán cuando vuelva a activar el módulo en el CRM.",
      frozen:
        "Los mensajes de los clientes se guardan y se entregarán cuando su CRM levante la suspensión, por ejemplo, después de un pago.",
    },
    pausedBy: "En pausa por decisión de {vendor}: {reason}",
    pausedHint:
      "Los mensajes de los clientes se guardan y se entregarán cuando {vendor} reanude la cuenta. Hasta entonces, los agentes no pueden escribir.",
    pausedChannelHint:
      "Los mensajes de los clientes se guardan y llegarán a los agentes cuando {vendor} reanude el canal. Hasta entonces, los agentes no pueden escribir.",
    trouble:
      "Hay un problema con la conexión a su CRM: {text}. Guardamos todos los mensajes y seguimos intentándolo; quizá se resuelva si conecta la cuenta de nuevo con otra clave.",
    none: "Aún no hay ningún canal conectado",
    noneHint: "Elija dónde le escriben sus clientes. Sus mensajes aparecen en los chats del CRM en unos segundos.",
    where: "¿Dónde le escriben sus clientes?",
    compare: "Qué ofrece cada uno",
    add: "Añadir canal",
    adding: "Añadir {title}",
    more: "Más opciones",
    addButton: "Añadir",
    steps: {
      create: "Obtenga sus credenciales",
      paste: "Péguelas aquí",
      add: "Añádalo",
      tryIt: "Pruébelo",
      tryHint:
        "Escriba al canal como un cliente y responda desde su CRM. La página siguiente muestra cómo y qué ha llegado.",
    },
    edit: "Ajustes",
    save: "Guardar",
    remove: "Quitar",
    removeAsk: "El canal se detiene en cuanto lo quite. Los mensajes pendientes no se entregarán.",
    removeTitle: "¿Quitar {name}?",
    removeConfirm: "Quitar este canal",
    resume: "Intentarlo de nuevo",
    newSecret: "Pegue el nuevo valor: {label}",
    replace: "Sustituir",
    stopped: "Detenido: {text}",
    troubled: "Hay un problema: {text}",
    name: "Nombre",
    nameHint: "Lo ven los agentes en el CRM.",
    secretHint: "Se guarda, pero nunca se muestra. Deje el campo vacío para conservar el valor actual.",
    past: {
      label: "Mensajes anteriores",
      hint: "Para que los agentes los lean en el CRM. Nadie recibe avisos.",
      choices: {
        0: "No importarlos",
        7: "De los últimos 7 días",
        30: "De los últimos 30 días",
        90: "De los últimos 90 días",
      },
    },
    unsure: {
      label: "Si no se sabe si un mensaje ha llegado",
      hint: "El servicio de mensajería puede aceptar un mensaje sin confirmarlo, por ejemplo, si se corta la conexión.",
      choices: {
        resend: "Enviarlo otra vez (puede llegar dos veces)",
        hold: "Retenerlo hasta que yo decida",
      },
    },
    counts: {
      waiting: "{count, number} en camino",
      done: "{count, plural, one {# entregado} many {# entregados} other {# entregados}} en total",
      dead: "{count, plural, one {# no entregado} many {# no entregados} other {# no entregados}} en total",
      held: "{count, plural, one {# espera su decisión} many {# esperan su decisión} other {# esperan su decisión}}",
    },
    heldCount:
      "{count, plural, one {# mensaje puede haberse entregado y espera su decisión.} many {# de mensajes pueden haberse entregado y esperan su decisión.} other {# mensajes pueden haberse entregado y esperan su decisión.}}",
    deadCount:
      "{count, plural, one {# mensaje no se entregó.} many {# de mensajes no se entregaron.} other {# mensajes no se entregaron.}}",
    failedMeanwhile:
      "{count, plural, one {# respuesta no se envió porque el canal estaba detenido.} many {# de respuestas no se enviaron porque el canal estaba detenido.} other {# respuestas no se enviaron porque el canal estaba detenido.}}",
    lost: "Nuestros registros no cuadran. Mensajes aceptados de los que no hay constancia: {events, number}. Se ha avisado al administrador de este módulo.",
    excess:
      "Nuestros registros no cuadran. Mensajes terminados sin haber sido aceptados: {events, number}. Se ha avisado al administrador de este módulo.",
    unreadable:
      "Los ajustes guardados de este canal ya no se pueden leer, así que no puede funcionar. Quítelo y añádalo de nuevo; sus mensajes permanecen en el CRM.",
  },
  abilities: {
    text: "texto",
    image: "imágenes",
    file: "archivos",
    audio: "mensajes de voz",
    quoting: "citas",
    editing: "ediciones",
    deleting: "eliminaciones",
    reaction: "reacciones",
    read: "confirmaciones de lectura",
    suggestions: "respuestas rápidas",
    templates: "plantillas",
  },
  undelivered: {
    title: "Mensajes no entregados",
    hint: "Estos mensajes están guardados. Los que reenvíe irán al final del chat.",
    link: "Ver los mensajes sin entregar",
    states: "Qué mensajes",
    state: {
      held: "{count, plural, one {Espera su decisión: #} many {Esperan su decisión: #} other {Esperan su decisión: #}}",
      dead: "{count, plural, one {No entregado: #} many {No entregados: #} other {No entregados: #}}",
    },
    none: "Aquí no hay nada.",
    why: "Motivo",
    allReasons: "Todos los motivos",
    selectAll: "Seleccionar todos los de esta página",
    selectedCount: "seleccionados",
    heldShort: "Quizá entregado, pero sin confirmar",
    older: "Mensajes anteriores",
    select: "Seleccionar el mensaje de {who}",
    decide: {
      ...{ again: "Enviar de nuevo", arrived: "Sí llegó", drop: "No enviar" },
      ...{ discard: "Descartar", restore: "Recuperar" },
    },
    undo: "Deshacer",
    selected: {
      again: "Enviar de nuevo los seleccionados",
      drop: "No enviar los seleccionados",
      discard: "Descartar los seleccionados",
    },
    all: "{count, plural, one {Decidir sobre este mensaje} many {Decidir sobre los # de mensajes} other {Decidir sobre los # mensajes}}",
    allHint: "Lo que se envía de nuevo va al final de su chat. Lo descartado se puede recuperar durante un día.",
    onAll: {
      again: "{count, plural, one {Enviarlo de nuevo} many {Enviar de nuevo los #} other {Enviar de nuevo los #}}",
      drop: "{count, plural, one {No enviarlo} many {No enviar ninguno de los #} other {No enviar ninguno de los #}}",
      discard: "{count, plural, one {Descartarlo} many {Descartar los #} other {Descartar los #}}",
    },
    done: {
      again:
        "{count, plural, =0 {No ha cambiado nada.} one {El mensaje está de nuevo en camino.} many {# de mensajes están de nuevo en camino.} other {# mensajes están de nuevo en camino.}}",
      arrived:
        "{count, plural, =0 {No ha cambiado nada.} one {El mensaje se considera entregado.} many {# de mensajes se consideran entregados.} other {# mensajes se consideran entregados.}}",
      drop: "{count, plural, =0 {No ha cambiado nada.} one {El mensaje no se enviará; ahora está entre los no entregados.} many {# de mensajes no se enviarán; ahora están entre los no entregados.} other {# mensajes no se enviarán; ahora están entre los no entregados.}}",
      discard:
        "{count, plural, =0 {No ha cambiado nada.} one {El mensaje se ha descartado.} many {Se han descartado # de mensajes.} other {Se han descartado # mensajes.}}",
      restore:
        "{count, plural, =0 {Ya no queda nada que recuperar.} one {El mensaje vuelve a estar entre los no entregados.} many {# de mensajes vuelven a estar entre los no entregados.} other {# mensajes vuelven a estar entre los no entregados.}}",
    },
    unselected: "Seleccione primero un mensaje.",
    ways: { inbound: "al CRM", outbound: "al cliente", ack: "informe de entrega al CRM" },
    held: "Puede que se haya entregado, pero el servicio de mensajería no lo confirmó. Mire el chat y decida.",
    gone: "(quitado)",
    codes: {
      general: "No se pudo entregar.",
      customer_not_exists: "Ya no es posible contactar con el cliente.",
      reply_timed_out: "Ha vencido el plazo que da el servicio de mensajería para responder.",
      spam_suspicion: "El servicio de mensajería lo ha considerado spam.",
      was_stopped: "El canal se detuvo antes de poder enviarlo.",
      access_restricted: "El cliente ha bloqueado este canal, o el servicio de mensajería no permite el mensaje.",
    },
  },
  checking,
  customers,
  erased,
  health,
  tryOut,
  history,
  logins,
  looks,
  standing,
  stories,
  supportVisit,
  templates,
  testing,
  trace,
  disconnect: {
    link: "Desconectar",
    title: "Desconectar esta cuenta",
    lead: "{module} dejará de transmitir los mensajes de {account}.",
    stops: "Qué se detiene",
    messengers: "Se quitan estos canales: {names}. Lo que los clientes escriban allí ya no llegará a su CRM.",
    module: "El módulo se desactiva en su CRM y se cancelan sus suscripciones en los servicios de mensajería.",
    waiting:
      "{count, plural, one {# mensaje sigue en camino o espera su decisión; no se entregará.} many {# de mensajes siguen en camino o esperan su decisión; no se entregarán.} other {# mensajes siguen en camino o esperan su decisión; no se entregarán.}}",
    stays: "Qué se conserva",
    inCrm: "Los chats y los clientes permanecen en su CRM.",
    here: "Este servidor borra el texto de los mensajes entregados después de {settled, plural, one {# día} many {# de días} other {# días}}, el de los no entregados después de {dead, plural, one {# día} many {# de días} other {# días}}, los historiales de chat después de {journal, plural, one {# día} many {# de días} other {# días}} y el registro de quién cambió qué después de {audit, plural, one {# día} many {# de días} other {# días}}.",
    confirm: "Desconectar",
    pausedKeeps: "{vendor} ha puesto en pausa esta cuenta: pida a {vendor} que borre sus datos.",
    confirmErasing: "Desconectar y borrar",
    cancel: "Mantener la conexión",
  },
  settings: {
    title: "Ajustes",
    another: "Conectar otra cuenta",
    address: "Dirección",
    state: "Estado",
    cancel: "Cancelar",
    disconnectHint:
      "Detiene todos los canales y desactiva el módulo en su CRM. La página siguiente explica qué se conserva.",
  },
  doneAtStart: {
    left: "Ha cerrado la sesión.",
    disconnected:
      "La cuenta está desconectada y el módulo, desactivado en el CRM. Para volver a usarlo, conecte la cuenta aquí abajo.",
    disconnectedHere:
      "La cuenta está desconectada aquí, pero no se pudo avisar a su CRM. Desactive el módulo en la lista de integraciones del CRM.",
    messengersLeft:
      "No se pudo avisar al menos a un servicio de mensajería: puede que siga enviando mensajes aquí, donde se rechazan. Para evitarlo, revoque el token de este módulo en ese servicio.",
  },
  entry: {
    title: "¿Qué cuenta?",
    open: "Abiertas en este navegador:",
    other: "Solicitada:",
    hint: "Si acaba de abrir este módulo en el CRM de la cuenta solicitada, ábrala; las demás seguirán abiertas. De lo contrario, no la abra: puede que otro sitio le haya enviado aquí.",
    stay: "No abrirla",
    enter: "Abrir {account}",
  },
  channelFaults: {
    kind: "Este servicio de mensajería no está disponible.",
    name: "El nombre puede tener 100 caracteres como máximo.",
    gone: "Este canal ya no está conectado.",
    taken:
      "Esta cuenta del servicio de mensajería ya está conectada a este servidor, aquí o en otra cuenta del CRM. Quítela allí primero o cree otra en el servicio de mensajería.",
    vendor: "El proveedor de este módulo ha puesto en pausa este canal y solo él puede reanudarlo: {detail}",
    "too-many": "Esta cuenta ha alcanzado su número máximo de canales. Quite uno primero.",
    unfit: "Los ajustes guardados ya no son válidos en esta versión del módulo. Guárdelos de nuevo.",
    messenger: "El servicio de mensajería ha rechazado la conexión: {detail}",
    "no-messenger": "No se ha podido conectar el canal: {detail} Inténtelo de nuevo en unos minutos.",
    gateway: "Los chats de su CRM no han aceptado el canal: {detail}",
    failed: "Algo ha fallado por nuestra parte; el error ha quedado registrado. Inténtelo de nuevo en un minuto.",
  },
  settingFaults: {
    missing: "Complete este campo.",
    "too-long":
      "Demasiado largo: {limit, plural, one {# carácter} many {# de caracteres} other {# caracteres}} como máximo.",
    "too-short":
      "Demasiado corto: {limit, plural, one {# carácter} many {# de caracteres} other {# caracteres}} como mínimo.",
    "too-many": "Demasiadas líneas: {limit, number} como máximo.",
    "too-few": "Faltan líneas: {limit, number} como mínimo.",
    "too-high": "Demasiado alto: {limit, number} como máximo.",
    "too-low": "Demasiado bajo: {limit, number} como mínimo.",
    form: "Este valor no tiene el formato esperado.",
  },
  preview: {
    design: "Diseño",
    message: "Pruebe un mensaje",
    designHint: "La ventana junto a este formulario cambia mientras escribe. Los visitantes la ven cuando la guarda.",
    title: "¿Qué recibirá el cliente?",
    hint: "Pruebe un mensaje: vea cómo se divide y qué se pierde en el servicio de mensajería. No se envía nada.",
    text: "Texto",
    kind: "Tipo",
    kinds: { image: "Imágenes", file: "Archivos", audio: "Voz o música" },
    count: "Cuántos",
    size: "Tamaño de cada uno, MB",
    buttons: "Respuestas rápidas, una por línea",
    submit: "Mostrar",
    steps: "{count, plural, one {Un mensaje:} many {# de mensajes:} other {# mensajes:}}",
    step: { text: "Texto", image: "Imágenes", file: "Archivos", audio: "Voz o música" },
    losses: "Diferencias con su mensaje:",
    whole: "No se pierde nada.",
  },
  done: {
    connected: "Su cuenta está conectada.",
    reconnected: "Su cuenta está conectada de nuevo; los canales que aún tiene no han cambiado.",
    added: "El canal está conectado.",
    changed: "Los ajustes se han guardado.",
    removed: "El canal se ha quitado.",
    paused: "El canal está en pausa.",
    resumed: "El canal vuelve a funcionar.",
    synchronised: "Las plantillas están sincronizadas.",
    synchronising: "Las plantillas se están sincronizando. Esta página mostrará el resultado.",
  },
  noVisit: {
    title: "Abra esta página desde su CRM",
    text: "Abra este módulo en la lista de integraciones de su cuenta del CRM, o conecte primero su cuenta aquí.",
  },
  foreign: {
    title: "Este formulario ha caducado",
    text: "Se abrió hace demasiado tiempo o en otro sitio. Recargue la página e inténtelo de nuevo.",
  },
  loginOver: {
    title: "Este inicio de sesión ha caducado",
    text: "Tardó más de diez minutos, se inició en otro navegador o ya ha terminado. Nada ha cambiado. Abra la página del canal en su cuenta e inicie sesión de nuevo.",
  },
  supportOver: {
    title: "Esta visita ha terminado",
    text: "Una visita de soporte dura diez minutos y su enlace se abre una sola vez. Cree otro enlace.",
  },
  supportLooks: {
    title: "Solo puede mirar",
    text: "Una visita de soporte no cambia nada. Pida a los usuarios de la cuenta que lo hagan, o use la consola.",
  },
  loginFramed: {
    title: "Abra este módulo en una pestaña propia",
    text: "Los servicios de mensajería no muestran su inicio de sesión dentro de otra página. Abra la dirección de este servidor en una pestaña del navegador, conecte allí su cuenta e inicie sesión desde esa página.",
  },
  notFound: { title: "No se ha encontrado", text: "Aquí no hay nada, o lo que había ya no existe." },
  tooMany: { title: "Demasiados intentos", text: "Espere un minuto e inténtelo de nuevo." },
  recordsTooLarge: {
    title: "Demasiado grande para descargar",
    text: "Este servidor guarda más datos de este cliente de los que admite una descarga. Pida una copia al administrador de este módulo: el comando «gangway export» los muestra todos.",
  },
  tooLarge: { title: "Demasiado texto", text: "El formulario es más grande de lo que acepta este servidor." },
  broken: {
    title: "Algo ha fallado",
    text: "El error es nuestro y ha quedado registrado. Inténtelo de nuevo en un minuto.",
  },
  away: {
    title: "El servidor no está listo",
    text: "De momento no puede usar su base de datos. Los mensajes no se pierden: llegarán más tarde. Inténtelo de nuevo en un minuto y compruebe si se guardó su último cambio.",
  },
  toStart: "Ir a la página de inicio",
  support: "Ayuda",
  privacy: "Privacidad",
  languages: "Idioma",
};
