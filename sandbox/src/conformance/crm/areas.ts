import type { Area } from "./area.ts";
import { CUSTOM_FIELDS } from "./areas/custom-fields.ts";
import { REFERENCE } from "./areas/reference.ts";
import { TASKS } from "./areas/tasks.ts";

/** Later areas use what earlier ones keep. */
export const AREAS: readonly Area[] = [REFERENCE, CUSTOM_FIELDS, TASKS];
