/** Lets everything happen that waits for no time: turns of the event loop, which a loaded machine does not skip. */
export async function turns(count = 50): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(setImmediate);
}
