import type { Socket } from 'node:net'

/** A file descriptor cannot be passed to another process. */
export class DescriptorNotPassed extends Error {
  override readonly name = 'DescriptorNotPassed'
}

// Structures of 64-bit Linux, in bytes: struct msghdr, struct iovec, struct cmsghdr with one int.
const [headerBytes, vectorBytes, controlBytes] = [56, 16, 24]
const [solSocket, scmRights, msgNoSignal] = [1, 1, 0x4000]

/**
 * Sends a message through a unix socket, together with a file descriptor, which the receiver gets a
 * copy of. Node sends sockets only, and to other Nodes only, so that sendmsg(2) is called directly.
 * Nothing may be queued in the socket. @throws DescriptorNotPassed
 */
export function sendWithDescriptor(socket: Socket, message: string, descriptor: number): void {
  if (socket.writableLength > 0) throw new DescriptorNotPassed('Cannot pass a file: earlier data waits in the socket; try again')
  const ffi = process.getBuiltinModule('node:ffi')
  const text = Buffer.from(message)
  const [header, vector, control] = [headerBytes, vectorBytes, controlBytes].map((size) => Buffer.alloc(size)) as [Buffer, Buffer, Buffer]
  vector.writeBigUInt64LE(ffi.getRawPointer(text), 0)
  vector.writeBigUInt64LE(BigInt(text.length), 8)
  // The length is without the padding of the descriptor.
  control.writeBigUInt64LE(20n, 0)
  control.writeInt32LE(solSocket, 8)
  control.writeInt32LE(scmRights, 12)
  control.writeInt32LE(descriptor, 16)
  header.writeBigUInt64LE(ffi.getRawPointer(vector), 16)
  header.writeBigUInt64LE(1n, 24)
  header.writeBigUInt64LE(ffi.getRawPointer(control), 32)
  header.writeBigUInt64LE(BigInt(controlBytes), 40)
  using library = ffi.dlopen('libc.so.6', {
    sendmsg: { arguments: ['i32', 'pointer', 'i32'], return: 'i64' },
  })
  const sent = Number(library.functions.sendmsg(descriptorOf(socket), ffi.getRawPointer(header), msgNoSignal))
  if (sent === text.length) return
  // A part of a message would corrupt the next one.
  socket.destroy()
  throw new DescriptorNotPassed(`Cannot pass a file: sendmsg() has sent ${sent} of ${text.length} bytes; try again`)
}

/** Returns the file descriptor of a socket, which Node has no documented name for. */
function descriptorOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const descriptor: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined
  if (typeof descriptor !== 'number' || descriptor < 0) throw new DescriptorNotPassed('Cannot pass a file: the socket is closed')
  return descriptor
}
