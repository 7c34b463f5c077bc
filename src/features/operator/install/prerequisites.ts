import { isManaged } from '#api/access/managed.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import { services } from '#api/core/v1/resources.ts'
import type { Service } from '#api/core/v1/service.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#api/rbac/v1/resources.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#api/rbac/v1/role.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { Registration } from '#features/certificates/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock.ts'
import { rbacToApply, type RbacObject } from './rbac.ts'
import { withRoleBindings } from './role-bindings.ts'
import { expandedCrd, isInstalledByOperator, contractedCrd } from './crds.ts'
import type { CrdName } from './creation-guard.ts'
import type { Platform } from '../manifests/install-strategy.ts'

/** What a version brings beside its programs. */
export interface ReleaseContents {
  readonly definitions: {
    /** Of the whole manifest, and how many it has. */
    readonly hash: string
    readonly count: number
    readonly read: () => Promise<readonly CustomResourceDefinition[]>
  }
  readonly access: readonly RbacObject[]
  /** Undefined: its server registers itself. */
  readonly registrations?: readonly Registration[] | undefined
}

/** Reads what a version brings. Rejects when there is no such version. */
export type ReadReleaseContents = (version: string) => Promise<ReleaseContents>

/** Something to apply, or to delete. */
export interface PrerequisiteChange {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
  readonly isGarbage?: boolean
}

/** What the ground needs from the world. */
export interface PrerequisitesPorts {
  readonly client: Client
  readonly namespace: string
  readonly platform: Pick<Platform, 'hasAccounts'>
  readonly contents: ReadReleaseContents
  /** Those that carry the operator's label. */
  readonly clusterRoles: Lister<ClusterRole>
  readonly clusterRoleBindings: Lister<ClusterRoleBinding>
  readonly roles: Lister<Role>
  readonly roleBindings: Lister<RoleBinding>
  /** All that there are, without what they define. */
  readonly definitions: Lister<KubeObject>
  readonly clock: Pick<Clock, 'now'>
  readonly deployments: Lister<Deployment>
  readonly daemonSets: Lister<DaemonSet>
  readonly services: Lister<Service>
}

/**
 * The version that is to stand on the ground, and newer ones that were tried and never were in
 * place.
 */
export interface ReleaseScope {
  readonly version: string
  readonly abandoned: readonly string[]
}

/**
 * Kinds and rights: what components stand on. It grows before a version comes, and shrinks when no
 * other one is left.
 */
export interface InstallPrerequisites {
  /** What is missing for a version. `isExact`: nobody needs more rights than that version gives. */
  missing(tenant: ReleaseScope, isExact: boolean, signal: AbortSignal): Promise<readonly PrerequisiteChange[]>
  /**
   * Kinds that the version brings and the cluster has not, and those that others have brought; as
   * of the last look at what is lacking.
   */
  readonly kinds: { readonly coming: readonly CrdName[]; readonly foreign: readonly CrdName[] }
  /**
   * What takes away all that the version does not need: rights, versions of kinds that nothing is
   * stored in, and what older versions have installed beside the
   * `components`. Kinds stay, whoever brought them.
   */
  obsolete(tenant: ReleaseScope, components: readonly string[], signal: AbortSignal): Promise<readonly PrerequisiteChange[]>
  apply(changes: readonly PrerequisiteChange[], signal: AbortSignal): Promise<void>
  /**
   * Milliseconds until kinds are looked at again that somebody changes each time they are put
   * right; undefined: there is no such quarrel.
   */
  readonly recheckAfterMs: number | undefined
  /** All that was looked at may be gone. */
  forget(): void
}

/** Makes the ground. */
export function createPrerequisites({ client, namespace, platform, clock, ...listers }: PrerequisitesPorts): InstallPrerequisites {
  const contents: ReadReleaseContents = async (version) => {
    const read = await listers.contents(version)
    return { ...read, access: withRoleBindings(read.access, namespace, platform.hasAccounts === true) }
  }
  /**
   * Definitions are megabytes: they are looked at once for each version, once in the life of this
   * process, and when somebody has changed one.
   */
  let grownTo = ''
  let marks: ReadonlyMap<string, DefinitionMark> = new Map()
  const quarrel = createQuarrel(clock)
  let known: InstallPrerequisites['kinds'] = { coming: [], foreign: [] }

  const rightsAt: Readonly<Record<AccessKind, readonly [ResourceType<KubeObject>, Lister<RbacObject & KubeObject>]>> = {
    bindings: [clusterRoleBindings, listers.clusterRoleBindings],
    roles: [clusterRoles, listers.clusterRoles],
    ownRoles: [roles, listers.roles],
    ownBindings: [roleBindings, listers.roleBindings],
  }
  const accessChanges = (wanted: readonly RbacObject[], isExact: boolean): readonly PrerequisiteChange[] =>
    wanted.flatMap((access) => {
      const [resource, lister] = rightsAt[kindOf(access)]
      const { name = '', namespace = '' } = access.metadata
      const object = rbacToApply(lister.get(namespace, name), access, isExact)
      return object === undefined ? [] : [{ resource, object }]
    })
  const garbage = (access: readonly RbacObject[], components: readonly string[]): readonly PrerequisiteChange[] => {
    const byKind = Map.groupBy(access, kindOf)
    const kinds: readonly (readonly [ResourceType<KubeObject>, Lister<KubeObject>, readonly string[]])[] = [
      [deployments, listers.deployments as Lister<KubeObject>, components],
      [daemonSets, listers.daemonSets as Lister<KubeObject>, components],
      [services, listers.services as Lister<KubeObject>, components],
      // A version that says nothing of a kind of rights lives by those that the cluster began with.
      ...[...byKind].map(([kind, wanted]) => [...rightsAt[kind], wanted.map(({ metadata }) => metadata.name ?? '')] as const),
    ]
    return kinds.flatMap(([resource, lister, wanted]) =>
      lister
        .list()
        .filter(({ metadata }) => isManaged(metadata?.labels) && !wanted.includes(metadata?.name ?? ''))
        .map((object) => ({ resource, object, isGarbage: true })),
    )
  }
  const definitions = async (signal: AbortSignal): Promise<readonly CustomResourceDefinition[]> =>
    (await client.list(customResourceDefinitions, { signal })).items

  return {
    forget() {
      grownTo = ''
    },
    get kinds() {
      return known
    },
    get recheckAfterMs() {
      return quarrel.waitsMs > 0 ? quarrel.waitsMs : undefined
    },
    async missing({ version, abandoned }, isExact, signal) {
      const { definitions: wanted, access } = await contents(version)
      const rights = accessChanges(access, isExact)
      const origin = { version, hash: wanted.hash, count: wanted.count, abandoned }
      const goal = JSON.stringify(origin)
      const wasGrown = grownTo === goal
      const isNews = [...marks].some(([name, mark]) => isChanged(listers.definitions.get('', name), mark))
      if (wasGrown && (!isNews || quarrel.waitsMs > 0)) return rights
      // Whoever comes back to a version finds what was done for another one meanwhile.
      if (!wasGrown) grownTo = ''
      const [all, needed] = await Promise.all([definitions(signal), wanted.read()])
      const present = new Map(all.map((definition) => [definition.metadata.name ?? '', definition]))
      const names = new Set(needed.map(({ metadata }) => metadata.name ?? ''))
      // What is being deleted is made anew when it is gone.
      const kinds = needed
        .filter(({ metadata }) => present.get(metadata.name ?? '')?.metadata.deletionTimestamp === undefined)
        .flatMap((one) => expandedCrd(present.get(one.metadata.name ?? ''), one, origin) ?? [])
      known = {
        coming: [...names].filter((name) => !present.has(name)),
        foreign: all
          .filter((one) => isInstalledByOperator(one) && !names.has(one.metadata.name ?? ''))
          .map(({ metadata }) => metadata.name ?? ''),
      }
      if (kinds.length > 0 && wasGrown) quarrel.goOn()
      if (kinds.length === 0) {
        grownTo = goal
        marks = new Map(all.flatMap((one) => (names.has(one.metadata.name ?? '') ? [[one.metadata.name ?? '', markOf(one)]] : [])))
      }
      return [...kinds.map((object) => ({ resource: customResourceDefinitions, object })), ...rights]
    },
    async obsolete({ version, abandoned }, components, signal) {
      const { definitions: wanted, access } = await contents(version)
      const byName = new Map((await wanted.read()).map((definition) => [definition.metadata.name, definition]))
      const kinds = (await definitions(signal)).flatMap((present) => {
        const one = byName.get(present.metadata.name)
        return one === undefined ? [] : (contractedCrd(present, one, { version, hash: wanted.hash, count: wanted.count, abandoned }) ?? [])
      })
      return [
        ...kinds.map((object) => ({ resource: customResourceDefinitions, object })),
        ...accessChanges(access, true),
        ...garbage(access, components),
      ]
    },
    async apply(changes, signal) {
      const write = ({ resource, object, isGarbage }: PrerequisiteChange): Promise<unknown> => {
        const { name = '', namespace = '' } = object.metadata ?? {}
        if (isGarbage === true) return client.delete(resource, { namespace, name }, { signal }).catch(ignoreMissing)
        const body = { apiVersion: `${resource.group}/${resource.version}`, kind: resource.kind, ...object }
        return client.patch(
          resource,
          { namespace, name },
          { type: 'apply', body, fieldManager: `virt-operator/${resource.plural}`, force: true },
          { signal },
        )
      }
      // Nobody is given a role that is not there yet.
      const isBinding = ({ object }: PrerequisiteChange): boolean => 'roleRef' in object
      await Promise.all(changes.filter((change) => !isBinding(change)).map(write))
      await Promise.all(changes.filter(isBinding).map(write))
    },
  }
}

/** By this one knows again how a definition was. */
type DefinitionMark = Pick<NonNullable<KubeObject['metadata']>, 'uid' | 'generation'>

function markOf({ metadata: { uid, generation } }: CustomResourceDefinition): DefinitionMark {
  return { ...(uid !== undefined && { uid }), ...(generation !== undefined && { generation }) }
}

/**
 * Whether a definition is another one than it was. A cache that has not heard of the last change
 * yet is no news.
 */
function isChanged(present: KubeObject | undefined, { uid, generation = 0 }: DefinitionMark): boolean {
  return present === undefined || present.metadata?.uid !== uid || (present.metadata?.generation ?? 0) > generation
}

const firstPauseMs = 1_000
const longestPauseMs = 300_000

/**
 * Keeps the operator from doing nothing but putting right what somebody else keeps changing: each
 * time it waits twice as long, until there is peace for a while.
 */
function createQuarrel(clock: Pick<Clock, 'now'>): { readonly waitsMs: number; goOn(): void } {
  let pauseMs = 0
  let until = 0
  return {
    get waitsMs() {
      return Math.max(0, until - clock.now())
    },
    goOn() {
      const isOver = clock.now() > until + longestPauseMs
      pauseMs = isOver || pauseMs === 0 ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs)
      until = clock.now() + pauseMs
    },
  }
}

type AccessKind = 'bindings' | 'roles' | 'ownRoles' | 'ownBindings'

function kindOf(access: RbacObject): AccessKind {
  const isOwn = access.metadata.namespace !== undefined
  if ('roleRef' in access) return isOwn ? 'ownBindings' : 'bindings'
  return isOwn ? 'ownRoles' : 'roles'
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
