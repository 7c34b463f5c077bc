import { badRequest, StatusError } from '#apimachinery/errors.ts'
import type { UpgradeCall, UpgradeRoute } from '#apiserver/front/upgrade/upgrade-handler.ts'
import { channelProtocols } from '#apiserver/streaming/channels/web-socket-protocol.ts'
import { findPod, type PodSource } from '#apiserver/streaming/find-pod.ts'
import type { NodeStreams } from '#apiserver/streaming/node-streams.ts'
import { nodeOf } from '#apiserver/streaming/pod-container.ts'
import { acceptSpdy, protocolVersionHeader, wantsSpdy } from '#apiserver/streaming/spdy/accept-spdy.ts'
import { acceptWebSocket, chooseProtocol, listedIn, wantsWebSocket } from '#apiserver/streaming/web-socket.ts'
import { type ConnectPort, PortForwardError } from './connect-port.ts'
import { serveSpdyPortForward } from './spdy-port-forward.ts'
import { serveWebSocketPortForward } from './web-socket-port-forward.ts'

/** Protocol over SPDY. */
const spdyProtocol = 'portforward.k8s.io'
/** WebSocket whose binary messages carry a SPDY connection. */
const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io'
const maximumPorts = 100

/** Serves `pods/portforward`. */
export function portForwardRoute(source: PodSource, nodes: NodeStreams): UpgradeRoute {
  return {
    matches: (info) => info.kind === 'resource' && info.group === '' && info.resource === 'pods' && info.subresource === 'portforward',
    async handle(call) {
      const pod = await findPod(source, call)
      const { name = '', namespace = '', uid = '' } = pod.metadata
      const node = nodeOf(pod)
      if (pod.status?.phase !== 'Running') {
        throw badRequest(`unable to forward port because pod is not running. Current status=${pod.status?.phase ?? 'Pending'}`)
      }
      const connect: ConnectPort = async (port) => {
        try {
          return await nodes.connect({ node, namespace, pod: name, port }, call.signal)
        } catch (error) {
          if (!(error instanceof StatusError)) throw error
          throw new PortForwardError(`error forwarding port ${port} to pod ${uid}, uid : ${error.message}`, { cause: error })
        }
      }
      await serve(call, connect)
    },
  }
}

/** @throws StatusError */
async function serve(call: UpgradeCall, connect: ConnectPort): Promise<void> {
  if (wantsSpdy(call)) {
    const protocol = chooseProtocol(listedIn(call.headers[protocolVersionHeader]), [spdyProtocol], spdyProtocol)
    return serveSpdyPortForward(acceptSpdy(call, protocol), connect)
  }
  if (!wantsWebSocket(call)) throw badRequest('Upgrade request required')
  const channels = channelProtocols.filter(({ name }) => name.startsWith('v4.'))
  const known = [tunnelProtocol, ...channels.map(({ name }) => name)]
  const name = chooseProtocol(listedIn(call.headers['sec-websocket-protocol']), known, channels[0]?.name)
  const protocol = channels.find((one) => one.name === name)
  const ports = protocol === undefined ? [] : portsIn(call.query)
  const webSocket = await acceptWebSocket(call, name)
  if (protocol !== undefined) return serveWebSocketPortForward(webSocket, protocol, ports, connect)
  const { createWebSocketStream } = await import('ws')
  await serveSpdyPortForward(createWebSocketStream(webSocket), connect)
}

/** @throws StatusError 400 */
function portsIn(query: URLSearchParams): readonly number[] {
  const ports = query
    .getAll('ports')
    .flatMap((value) => value.split(','))
    .map(Number)
  if (ports.length === 0) throw badRequest('query parameter "ports" is required')
  if (ports.length > maximumPorts) throw badRequest(`at most ${maximumPorts} ports can be forwarded at once`)
  const wrong = ports.find((port) => !Number.isInteger(port) || port < 1 || port > 65_535)
  if (wrong !== undefined) throw badRequest(`port must be a number from 1 to 65535`)
  return ports
}
