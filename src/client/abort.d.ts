// The client is neutral: it knows neither Node nor the DOM. Both have these; this is the part that
// it uses.
export {}
declare global {
  interface AbortSignal {
    readonly aborted: boolean
    // eslint-disable-next-line typescript/no-explicit-any -- merges with the platform's type
    readonly reason: any
    throwIfAborted(): void
    addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
    removeEventListener(type: 'abort', listener: () => void): void
  }
}
