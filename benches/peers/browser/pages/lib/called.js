// Calls to a worker of ours, each answered with a value or an error.

export function called(address) {
  const worker = new Worker(address, { type: "module" });
  const waiting = new Map();
  let last = 0;
  worker.onmessage = ({ data: { id, value, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(error));
    else resolve(value);
  };
  return (method, argument) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      worker.postMessage({ id: last, method, argument });
    });
}
