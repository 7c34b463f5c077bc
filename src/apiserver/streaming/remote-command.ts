import type { Pod } from '#api/core/v1/pod.ts'
import { badRequest } from '#apimachinery/errors.ts'
import type { UpgradeCall, UpgradeRoute } from '#apiserver/front/upgrade/upgrade-handler.ts'
import { isTrue } from '#apiserver/request/request-info.ts'
import { bridge } from './channels/bridge.ts'
import type { ClientChannels, WantedStreams } from './channels/client-channels.ts'
import { spdyChannels, spdyProtocols } from './channels/spdy-channels.ts'
import { webSocketChannels } from './channels/web-socket-channels.ts'
import { channelProtocols, plainChannels } from './channels/web-socket-protocol.ts'
import { findPod, type PodSource } from './find-pod.ts'
import type { NodeStreams, SessionRequest } from './node-streams.ts'
import { chooseContainer, nodeOf } from './pod-container.ts'
import { acceptSpdy, protocolVersionHeader, wantsSpdy } from './spdy/accept-spdy.ts'
import { acceptWebSocket, chooseProtocol, listedIn, wantsWebSocket } from './web-socket.ts'

/** Serves `pods/exec` and `pods/attach`. */
export function remoteCommandRoute(source: PodSource, nodes: NodeStreams): UpgradeRoute {
  return {
    matches: (info) =>
      info.kind === 'resource' &&
      info.group === '' &&
      info.resource === 'pods' &&
      (info.subresource === 'exec' || info.subresource === 'attach'),
    async handle(call) {
      const wanted = wantedStreams(call.query)
      const kind = call.info.kind === 'resource' && call.info.subresource === 'attach' ? 'attach' : 'exec'
      const request = sessionRequest(kind, await findPod(source, call), call.query, wanted)
      const accept = negotiate(call, wanted)
      // Before the handshake, so that errors are answered with a status code.
      using session = await nodes.session(request, call.signal)
      await bridge(await accept(), session)
    },
  }
}

/** Negotiates the protocol. The result completes the handshake. @throws StatusError 400, 403 */
function negotiate(call: UpgradeCall, wanted: WantedStreams): () => Promise<ClientChannels> {
  if (wantsSpdy(call)) {
    const names = spdyProtocols.map(({ name }) => name)
    const name = chooseProtocol(listedIn(call.headers[protocolVersionHeader]), names, names.at(-1))
    return () => spdyChannels(acceptSpdy(call, name), name, wanted)
  }
  if (!wantsWebSocket(call)) throw badRequest('Upgrade request required')
  const names = channelProtocols.map(({ name }) => name)
  const name = chooseProtocol(listedIn(call.headers['sec-websocket-protocol']), names, names[0])
  const protocol = channelProtocols.find((known) => known.name === name) ?? plainChannels
  return async () => webSocketChannels(await acceptWebSocket(call, name), protocol, wanted)
}

/** @throws StatusError 400 */
function wantedStreams(query: URLSearchParams): WantedStreams {
  const isSet = (name: string): boolean => query.has(name) && isTrue(query.get(name))
  const tty = isSet('tty')
  // A terminal has a single output.
  const wanted = { stdin: isSet('stdin'), stdout: isSet('stdout'), stderr: isSet('stderr') && !tty, tty }
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr')
  return wanted
}

/** @throws StatusError 400 */
function sessionRequest(kind: 'exec' | 'attach', pod: Pod, query: URLSearchParams, wanted: WantedStreams): SessionRequest {
  const { name = '', namespace = '' } = pod.metadata
  const container = chooseContainer(pod, query.get('container') ?? '')
  const node = nodeOf(pod)
  const command = query.getAll('command')
  if (kind === 'exec' && command.length === 0) throw badRequest('you must specify at least one command for the container')
  return { kind, node, namespace, pod: name, container, command, ...wanted }
}
