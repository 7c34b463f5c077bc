import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { aborted } from '#runtime/clock/abort.ts'
import { parsePortMapping, type PortMapping } from '#cli/arguments/port-mapping.ts'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { listening, servePort } from '#cli/cluster/serve-port.ts'
import { CommandError, type CliContext } from '#cli/context.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly address: string
  readonly stdio: boolean
}

type Open = (mapping: PortMapping) => Promise<Duplex>

/** Forwards ports of this machine, or standard input and output, to ports of a guest. */
export async function portForward(this: CliContext, flags: Flags, target: string, ...ports: string[]): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const { namespace, name } = parseVmKey(target, flags.namespace ?? cluster.namespace)
  const mappings = ports.map(parsePortMapping)
  const open: Open = ({ protocol, remote }) =>
    cluster.openGuestStream({ namespace, name, subresource: `portforward/${remote}/${protocol}` })
  if (flags.stdio) return forwardStdio(this, mappings, open)
  const closers = await Promise.all(
    mappings.map(async (mapping) => {
      const close = await (mapping.protocol === 'tcp' ? forwardTcp : forwardUdp)(this, mapping, flags.address, open)
      this.process.stderr.write(
        `Forwarding ${mapping.protocol} ${flags.address}:${mapping.local} to port ${mapping.remote} of ${namespace}/${name}\n`,
      )
      return close
    }),
  )
  await aborted(this.signal)
  for (const close of closers) close()
}

async function forwardStdio(context: CliContext, mappings: readonly PortMapping[], open: Open): Promise<void> {
  const [mapping, ...others] = mappings
  if (mapping === undefined || others.length > 0) throw new CommandError('--stdio forwards exactly one port')
  const stream = await open(mapping)
  context.process.stdin.pipe(stream)
  stream.on('data', (chunk: Buffer) => {
    // stdout of a command takes text only by its type.
    if (!process.stdout.write(chunk)) {
      stream.pause()
      process.stdout.once('drain', () => stream.resume())
    }
  })
  await once(stream, 'close').catch(() => {})
  context.process.stdin.pause()
}

async function forwardTcp(context: CliContext, mapping: PortMapping, address: string, open: Open): Promise<() => void> {
  const { close } = await servePort({
    address,
    port: mapping.local,
    open: () => open(mapping),
    onRefused: ({ message }) => context.process.stderr.write(`Cannot forward a connection to port ${mapping.remote}: ${message}\n`),
    remedy,
  })
  return close
}

const remedy = 'choose another port with LOCAL:REMOTE'

/** Each sender has a stream of its own, as answers go to that sender. */
async function forwardUdp(context: CliContext, mapping: PortMapping, address: string, open: Open): Promise<() => void> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  const streams = new Map<string, Promise<Duplex>>()
  socket.on('message', (message, sender) => {
    const key = `${sender.address} ${sender.port}`
    const stream = streams.getOrInsertComputed(key, async () => {
      const opened = await open(mapping)
      opened.on('data', (answer: Buffer) => socket.send(answer, sender.port, sender.address))
      opened.on('error', () => {})
      opened.once('close', () => streams.delete(key))
      return opened
    })
    stream.then(
      (opened) => opened.write(message),
      (error: Error) => {
        streams.delete(key)
        context.process.stderr.write(`Cannot forward a datagram to port ${mapping.remote}: ${error.message}\n`)
      },
    )
  })
  socket.bind(mapping.local, address)
  await listening(socket, { address, port: mapping.local, remedy })
  return () => socket.close()
}
