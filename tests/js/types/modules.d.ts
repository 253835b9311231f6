// Packages that documents show and that are not installed here: of each, what is shown.

declare module "@opentelemetry/api" {
  export const trace: { getTracer(name: string): import("vademecum/otel").SpanTracer };
}
