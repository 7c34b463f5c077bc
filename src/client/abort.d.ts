// The client depends on neither Node nor the DOM. This declares the parts that it uses and both
// have.
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
