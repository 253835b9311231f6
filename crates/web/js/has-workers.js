// Whether there are workers, determined once: the ONNX runtime's loader gives Node a global `Worker` of another kind.

export const hasWorkers = typeof Worker !== "undefined";
