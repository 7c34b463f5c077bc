import { Duplex } from 'node:stream'
import { resetCodes } from './frames.ts'
import type { SpdyHeaders } from './header-block.ts'

/** Connection of a stream. Writes call back when the network has accepted them. */
export interface StreamPort {
  data(streamId: number, payload: Uint8Array, done: (error?: Error | null) => void): void
  fin(streamId: number, done: (error?: Error | null) => void): void
  reset(streamId: number, code: number): void
  /** Extends the window of the client. */
  consumed(streamId: number, bytes: number): void
  /** Both directions have ended. */
  closed(streamId: number): void
}

/** Unread bytes of a stream at which the whole connection stops. */
const patience = 512 * 1024
/** Consumed bytes per window update: half of the initial window. */
const worthTelling = 32 * 1024
/** Largest data frame, so that streams alternate. */
const maximumData = 32 * 1024

/** A stream opened by the client. Both directions end independently. */
export class SpdyStream extends Duplex {
  readonly id: number
  readonly headers: SpdyHeaders
  readonly #port: StreamPort
  #received = 0
  #told = 0
  #remoteEnded = false
  #localEnded = false
  #wasReset = false
  /** Undefined until the client sets a window, which clients of Kubernetes never do. */
  #window: number
  #isLimited: boolean
  #blocked: (() => void) | undefined

  constructor(id: number, headers: SpdyHeaders, port: StreamPort, window: { readonly size: number; readonly isLimited: boolean }) {
    super({ allowHalfOpen: true, readableHighWaterMark: 64 * 1024, writableHighWaterMark: 64 * 1024 })
    this.id = id
    this.headers = headers
    this.#port = port
    this.#window = window.size
    this.#isLimited = window.isLimited
  }

  /** True if the connection should wait for the consumer. */
  get isFull(): boolean {
    return !this.destroyed && this.readableLength > patience
  }

  /** Accepts data from the client. */
  receive(payload: Buffer, fin: boolean): void {
    if (this.#remoteEnded || this.destroyed) return
    this.#received += payload.length
    if (payload.length > 0) this.push(payload)
    if (fin) {
      this.#remoteEnded = true
      this.push(null)
      this.#closeWhenDone()
    }
  }

  /** The client has reset the stream. */
  receiveReset(): void {
    this.#wasReset = true
    this.destroy()
  }

  /** Extends the send window. Returns false on overflow. */
  widen(bytes: number): boolean {
    this.#isLimited = true
    this.#window += bytes
    if (this.#window > 0x7fff_ffff) return false
    const resume = this.#blocked
    if (this.#window > 0) {
      this.#blocked = undefined
      resume?.()
    }
    return true
  }

  override _read(): void {
    this.emit('room')
    const consumed = this.#received - this.readableLength - this.#told
    if (consumed < worthTelling || this.#remoteEnded) return
    this.#told += consumed
    this.#port.consumed(this.id, consumed)
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    if (chunk.length === 0) return done()
    if (this.#isLimited && this.#window <= 0) return void (this.#blocked = () => this._write(chunk, _encoding, done))
    const size = Math.min(chunk.length, maximumData, this.#isLimited ? this.#window : maximumData)
    this.#window -= size
    const rest = chunk.subarray(size)
    const next = rest.length === 0 ? done : (error?: Error | null) => (error ? done(error) : this._write(rest, _encoding, done))
    this.#port.data(this.id, chunk.subarray(0, size), next)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#localEnded = true
    this.#port.fin(this.id, (error) => {
      this.#closeWhenDone()
      done(error)
    })
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#blocked = undefined
    if (!this.#wasReset && !(this.#remoteEnded && this.#localEnded)) this.#port.reset(this.id, resetCodes.cancel)
    this.#port.closed(this.id)
    done(error)
  }

  #closeWhenDone(): void {
    if (this.#remoteEnded && this.#localEnded) this.#port.closed(this.id)
  }
}
