import type { Client } from '#client/client.ts'
import type { AggregatedGroup, AggregatedHandler, AggregatedResource, StreamHandler } from '#runtime/aggregated/aggregated-group.ts'
import type { AgentDialer } from './agent-dialer.ts'
import { changeState } from './change-state.ts'
import type { ConnectionMetrics } from './connection-metrics.ts'
import { expandSent, expandStored, type ExpandOptions } from './expand-spec.ts'
import { alternatives, notServedYet } from './not-served-yet.ts'
import { dumpMemory, removeMemoryDump } from './memory-dump.ts'
import { cancelEvacuation, migrate } from './migrate.ts'
import { pause, unpause } from './pause.ts'
import { agentQuery, freeze, guestStream, reset, screenshot, softReboot, unfreeze, usage } from './guest-access.ts'
import { getGuest } from './guest.ts'
import { guestOfMachine, portForward } from './port-forward.ts'
import { sev } from './sev.ts'
import { getObjectGraph } from './get-object-graph.ts'
import { backup, profiler, redefineCheckpoint, vsock } from './refused.ts'
import { changeVolumesOfGuest, changeVolumesOfMachine } from './volumes.ts'
import { checkGracePeriod, decideRestart, decideStart, decideStop } from './lifecycle.ts'

/** Dependencies of the subresources. */
export interface SubresourcesOptions extends ExpandOptions {
  readonly client: Pick<Client, 'get' | 'list' | 'patch' | 'create'>
  /** Release, as in `v0.1.0`. */
  readonly version: string
  readonly agents: AgentDialer
  /** Default: connections are not counted. */
  readonly connections?: ConnectionMetrics
}

const responseKind = { group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachine' } as const
const versionKind = { group: 'subresources.kubevirt.io', version: 'v1', kind: 'Version' } as const

/** Creates KubeVirt's subresources of VMs, which CustomResourceDefinitions cannot declare. */
export function subresourcesGroup(options: SubresourcesOptions): AggregatedGroup {
  const { client, version, agents } = options
  const put = (subresource: string, handler: AggregatedHandler) => ({
    resource: 'virtualmachines',
    subresource,
    responseKind,
    handlers: { PUT: handler },
  })
  const ofGuest = (subresource: string, handlers: AggregatedResource['handlers']) => ({
    resource: 'virtualmachineinstances',
    subresource,
    responseKind: { ...responseKind, kind: 'VirtualMachineInstance' },
    handlers,
  })
  const putToGuest = (subresource: string, handler: AggregatedHandler) => ofGuest(subresource, { PUT: handler })
  const getFromGuest = (subresource: string, handler: AggregatedHandler) => ofGuest(subresource, { GET: handler })
  return {
    group: subresourcesGroupName,
    versions: subresourcesVersions,
    resources: [
      { resource: 'expand-vm-spec', responseKind, handlers: { PUT: expandSent(options) } },
      { resource: 'virtualmachines', subresource: 'expand-spec', responseKind, handlers: { GET: expandStored(options) } },
      { ...ofCluster('version', async () => ({ code: 200, body: versionInfo(version) })), responseKind: versionKind },
      put('start', changeState(client, decideStart)),
      put('stop', changeState(client, decideStop, checkGracePeriod)),
      put('restart', changeState(client, decideRestart, checkGracePeriod)),
      put('migrate', migrate(client)),
      put('evacuate/cancel', cancelEvacuation(client, guestOfMachine)),
      putToGuest('evacuate/cancel', cancelEvacuation(client, getGuest)),
      put('addvolume', changeVolumesOfMachine(options, 'add')),
      put('removevolume', changeVolumesOfMachine(options, 'remove')),
      putToGuest('addvolume', changeVolumesOfGuest(options, 'add')),
      putToGuest('removevolume', changeVolumesOfGuest(options, 'remove')),
      put('memorydump', dumpMemory(options)),
      put('removememorydump', removeMemoryDump(options)),
      putToGuest('reset', reset(client, agents)),
      putToGuest('freeze', freeze(client, agents)),
      putToGuest('unfreeze', unfreeze(client, agents)),
      putToGuest('softreboot', softReboot(client, agents)),
      putToGuest('pause', pause(client)),
      putToGuest('unpause', unpause(client)),
      streamOf('console', guestStream(options, 'console')),
      streamOf('vnc', guestStream(options, 'vnc')),
      streamOf('usbredir', guestStream(options, 'usbredir')),
      { ...streamOf('portforward', portForward(options, getGuest)), hasTail: true },
      { ...streamOf('portforward', portForward(options, guestOfMachine)), resource: 'virtualmachines', responseKind, hasTail: true },
      getFromGuest('usage', usage(client, agents)),
      getFromGuest('vnc/screenshot', screenshot(client, agents)),
      getFromGuest('guestosinfo', agentQuery(client, agents, 'guestosinfo')),
      getFromGuest('userlist', agentQuery(client, agents, 'userlist')),
      getFromGuest('filesystemlist', agentQuery(client, agents, 'filesystemlist')),
      getFromGuest('sev/fetchcertchain', sev(options, 'fetchcertchain')),
      getFromGuest('sev/querylaunchmeasurement', sev(options, 'querylaunchmeasurement')),
      putToGuest('sev/setupsession', sev(options, 'setupsession')),
      putToGuest('sev/injectlaunchsecret', sev(options, 'injectlaunchsecret')),
      getFromGuest('objectgraph', getObjectGraph(options, 'vmi')),
      { resource: 'virtualmachines', subresource: 'objectgraph', responseKind, handlers: { GET: getObjectGraph(options, 'vm') } },
      streamOf('vsock', vsock(options)),
      putToGuest('backup', backup(options)),
      putToGuest('redefine-checkpoint', redefineCheckpoint(options)),
      ofCluster('start-cluster-profiler', profiler(options, 'start profiler')),
      ofCluster('stop-cluster-profiler', profiler(options, 'stop profiler')),
      ofCluster('dump-cluster-profiler', profiler(options, 'dump profiler results')),
      ...notServedYet,
    ],
  }
}

function ofCluster(resource: string, handler: AggregatedHandler): AggregatedResource {
  const status = { group: 'subresources.kubevirt.io', version: 'v1', kind: 'Status' }
  return { resource, namespaced: false, responseKind: status, handlers: { GET: handler } }
}

function streamOf(subresource: string, stream: StreamHandler): AggregatedResource {
  const kind = { ...responseKind, kind: 'VirtualMachineInstance' }
  return { resource: 'virtualmachineinstances', subresource, responseKind: kind, handlers: {}, stream }
}

/** Returns the server version for `virtctl version`. */
function versionInfo(version: string): object {
  return { gitVersion: version, gitCommit: '', gitTreeState: '', buildDate: '', goVersion: '', compiler: '', platform: '' }
}

/** Name of the API group. */
export const subresourcesGroupName = 'subresources.kubevirt.io'
/** Served versions, the preferred one first; they are identical. */
export const subresourcesVersions = ['v1', 'v1alpha3'] as const

/**
 * Lists all subresources, by `resource/subresource`, with the alternative to one that is not served
 * yet and undefined for one that is.
 */
export function listSubresources(): ReadonlyMap<string, string | undefined> {
  const { resources } = subresourcesGroup({
    client: { get: unused, list: unused, patch: unused, create: unused },
    config: unused,
    version: '',
    agents: { connect: unused, ask: unused },
  })
  return new Map<string, string | undefined>([
    ...resources.map(
      ({ resource, subresource }) => [subresource === undefined ? resource : `${resource}/${subresource}`, undefined] as const,
    ),
    ...alternatives(),
  ])
}

function unused(): never {
  throw new TypeError('The list of subresources is made without a cluster')
}
