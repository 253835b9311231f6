// How many encoders pay: one worker per core embeds documents n times as fast up to a few cores, and each takes the memory of a model.

/** Maximum number that is chosen: beyond it, memory bandwidth limits the speed, and memory becomes scarce on phones. */
const MOST = 4;
/** Gigabytes of memory up to which one worker is all that a device bears. */
const SMALL = 2;
/** Level of a battery below which it is nearly empty. */
const LOW = 0.2;

/** Returns a number of workers for the option `workers`. Battery, data saver and memory are considered where the browser reveals them. */
export async function workerCount(asked) {
  if (asked !== "auto") return asked;
  const { hardwareConcurrency = 1, deviceMemory = Infinity, connection } = /** @type {any} */ (globalThis.navigator ?? {});
  const battery = await stateOfBattery();
  if (connection?.saveData || deviceMemory <= SMALL || (battery && !battery.charging && battery.level < LOW)) return 1;
  const all = Math.min(MOST, hardwareConcurrency);
  return Math.max(1, battery && !battery.charging ? Math.floor(all / 2) : all);
}

/** Returns the battery, or null where there is none, or where it is not revealed. */
async function stateOfBattery() {
  try {
    return (await /** @type {any} */ (globalThis.navigator)?.getBattery?.()) ?? null;
  } catch {
    return null; // a policy of the page forbids it
  }
}
