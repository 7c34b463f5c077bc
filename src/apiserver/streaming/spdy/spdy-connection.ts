import type { Duplex } from 'node:stream'
import { whenWritable } from '#apiserver/streaming/when-writable.ts'
import { controlFrame, controlTypes, dataFrame, finFlag, numberAt, numbersFrame, readFrames, resetCodes, SpdyError } from './frames.ts'
import { createHeaderReader, createHeaderWriter } from './header-block.ts'
import { SpdyStream, type StreamPort } from './spdy-stream.ts'

/** Server side of a SPDY/3.1 connection. */
export interface SpdyConnection {
  /** Settles at the end of the connection. */
  readonly closed: Promise<void>
  /**
   * Waits for the client to close, which means that it has read everything; closes the connection
   * after `limitMs`.
   */
  end(limitMs: number): Promise<void>
  /** Closes the connection and all streams. */
  destroy(): void
}

/** Limit of open streams. */
const maximumStreams = 1000
const firstWindow = 64 * 1024
const heartbeatMs = 15_000
/** Setting of the initial window of each stream. */
const initialWindowSetting = 7

/**
 * Serves SPDY/3.1. Every stream that the client opens is accepted. Bounded in frame size, headers,
 * number of streams, and unread data of a stream: at its limit the connection is not read, as all
 * streams share it.
 */
export function serveSpdy(transport: Duplex, onStream: (stream: SpdyStream) => void): SpdyConnection {
  const streams = new Map<number, SpdyStream>()
  const headerReader = createHeaderReader()
  const headerWriter = createHeaderWriter()
  let lastId = 0
  let pings = 0
  const window = { size: firstWindow, isLimited: false }

  const write = (frame: Buffer, done?: (error?: Error | null) => void): void => {
    if (transport.writable) transport.write(frame, done)
    else done?.(new SpdyError('the connection has ended'))
  }
  const port: StreamPort = {
    data: (id, payload, done) => write(dataFrame(id, 0, payload), done),
    fin: (id, done) => write(dataFrame(id, finFlag, new Uint8Array()), done),
    reset: (id, code) => write(numbersFrame(controlTypes.rstStream, id, code)),
    consumed: (id, bytes) => write(numbersFrame(controlTypes.windowUpdate, id, bytes)),
    closed: (id) => void streams.delete(id),
  }

  const open = async (flags: number, payload: Buffer): Promise<void> => {
    const id = numberAt(payload, 0) & 0x7fff_ffff
    // Stream ID, associated stream, priority and slot: ten bytes. The headers must be decoded even
    // for a refused stream, as compression has state.
    numberAt(payload, 6)
    const headers = await headerReader.read(payload.subarray(10))
    if (id % 2 === 0 || id <= lastId) return port.reset(id, resetCodes.protocolError)
    lastId = id
    if (streams.size >= maximumStreams) return port.reset(id, resetCodes.refusedStream)
    const stream = new SpdyStream(id, headers, port, window)
    stream.on('error', () => {})
    streams.set(id, stream)
    write(controlFrame(controlTypes.synReply, 0, Buffer.concat([idBytes(id), headerWriter.empty()])))
    onStream(stream)
    if ((flags & finFlag) !== 0) stream.receive(Buffer.alloc(0), true)
  }
  const onControl = async (type: number, flags: number, payload: Buffer): Promise<void> => {
    switch (type) {
      case controlTypes.synStream:
        return open(flags, payload)
      case controlTypes.synReply:
      case controlTypes.headers:
        // Ignored, but part of the compressed stream.
        numberAt(payload, 0)
        await headerReader.read(payload.subarray(4))
        return
      case controlTypes.rstStream:
        return streams.get(numberAt(payload, 0))?.receiveReset()
      case controlTypes.settings:
        return onSettings(payload)
      case controlTypes.ping:
        // Even IDs answer pings of this server.
        if (numberAt(payload, 0) % 2 === 1) write(controlFrame(controlTypes.ping, 0, payload))
        return
      case controlTypes.windowUpdate: {
        const id = numberAt(payload, 0) & 0x7fff_ffff
        window.isLimited = true
        const wide = streams.get(id)?.widen(numberAt(payload, 4) & 0x7fff_ffff) ?? true
        if (wide) return
        port.reset(id, resetCodes.flowControlError)
        streams.get(id)?.receiveReset()
      }
    }
  }
  const onSettings = (payload: Buffer): void => {
    const count = Math.min(numberAt(payload, 0), 100)
    for (let index = 0; index < count; index++) {
      if ((numberAt(payload, 4 + 8 * index) & 0xff_ffff) !== initialWindowSetting) continue
      const size = numberAt(payload, 8 + 8 * index) & 0x7fff_ffff
      for (const stream of streams.values()) stream.widen(size - window.size)
      window.size = size
      window.isLimited = true
    }
  }
  const run = async (): Promise<void> => {
    for await (const frame of readFrames(transport as AsyncIterable<Uint8Array>)) {
      if (frame.kind === 'control') await onControl(frame.type, frame.flags, frame.payload)
      else {
        const stream = streams.get(frame.streamId)
        stream?.receive(frame.payload, (frame.flags & finFlag) !== 0)
        if (stream?.isFull === true) await untilRead(stream)
      }
      // Applies back-pressure to clients that do not read answers.
      if (transport.writableNeedDrain) await new Promise<void>((resolve) => whenWritable(transport, resolve))
    }
  }

  const beat = setInterval(() => write(numbersFrame(controlTypes.ping, (pings += 2))), heartbeatMs)
  beat.unref()
  transport.on('error', () => transport.destroy())
  const closed = new Promise<void>((resolve) => {
    const finish = (): void => {
      clearInterval(beat)
      headerReader[Symbol.dispose]()
      for (const stream of streams.values()) stream.receiveReset()
      resolve()
    }
    if (transport.closed) finish()
    else transport.once('close', finish)
  })
  // Errors are the client's, and the connection is gone.
  run().then(
    () => transport.destroy(),
    () => transport.destroy(),
  )
  return {
    closed,
    async end(limitMs) {
      const cut = setTimeout(() => transport.destroy(), limitMs)
      await closed
      clearTimeout(cut)
    },
    destroy: () => void transport.destroy(),
  }
}

function idBytes(id: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(id)
  return bytes
}

/** Resolves when a stream has been read or destroyed. */
function untilRead(stream: SpdyStream): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (stream.isFull) return
      stream.off('room', look).off('close', look)
      resolve()
    }
    stream.on('room', look).on('close', look)
  })
}
