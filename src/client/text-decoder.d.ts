// The client is neutral: Node and browsers both have this; here is the part that it uses.
export {}
declare global {
  class TextDecoder {
    constructor(label: 'utf-8', options?: { fatal?: boolean })
    decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
  }
}
