import { isManaged } from '#api/access/managed.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import { services } from '#api/core/v1/resources.ts'
import type { Service } from '#api/core/v1/service.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#api/rbac/v1/resources.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#api/rbac/v1/role.ts'
import { cdiGroup, isForeignDefinition } from '#features/foreign-cdi/index.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { createConflictBackoff } from './conflict-backoff.ts'
import type { CrdRelease } from './crds.ts'
import type { CrdName } from './creation-guard.ts'
import {
  diffCrds,
  diffObsoleteCrds,
  diffRbac,
  type CrdComparison,
  type CrdDifference,
  type PrerequisiteChange,
  type RbacComparison,
} from './diff-prerequisites.ts'
import type { RbacObject } from './rbac.ts'
import type { ReadReleaseContents } from './release-contents.ts'
import { monitoringLabel } from '../manifests/install-strategy.ts'
import { withRoleBindings } from './role-bindings.ts'

/** Dependencies of the prerequisites installer. */
export interface PrerequisitesPorts {
  readonly client: Pick<Client, 'list' | 'patch' | 'delete'>
  readonly namespace: string
  readonly contents: ReadReleaseContents
  /** RBAC objects with the operator's label. */
  readonly clusterRoles: Lister<ClusterRole>
  readonly clusterRoleBindings: Lister<ClusterRoleBinding>
  readonly roles: Lister<Role>
  readonly roleBindings: Lister<RoleBinding>
  /** Metadata of all CRDs of the cluster. */
  readonly definitions: Lister<KubeObject>
  readonly clock: Pick<Clock, 'now'>
  readonly deployments: Lister<Deployment>
  readonly daemonSets: Lister<DaemonSet>
  readonly services: Lister<Service>
}

/** The release that prerequisites are installed for. */
export interface ReleaseScope {
  readonly version: string
  /** Newer versions that were tried and never became complete. */
  readonly abandoned: readonly string[]
}

/** Prerequisites of a release compared with the cluster. */
export interface PrerequisitesObservation {
  /** Objects to apply; empty when the cluster has all that the release needs. */
  readonly changes: readonly PrerequisiteChange[]
  readonly missingCrds: readonly CrdName[]
  readonly foreignCrds: readonly CrdName[]
  /** Milliseconds until CRDs are compared again that another actor keeps reverting. */
  readonly recheckAfterMs: number | undefined
}

/**
 * Installs CRDs and RBAC objects of a release. They are expanded before a release is rolled out,
 * and contracted when no other release is left.
 */
export interface InstallPrerequisites {
  /** Compares the cluster with a release. `isExact`: no other release needs more rights. */
  observe(scope: ReleaseScope, isExact: boolean, signal: AbortSignal): Promise<PrerequisitesObservation>
  /**
   * Returns changes that remove what the release does not need: rights, CRD versions that no object
   * is stored in, and workloads and services that are not among `components`. CRDs are never
   * deleted.
   */
  obsolete(scope: ReleaseScope, components: readonly string[], signal: AbortSignal): Promise<readonly PrerequisiteChange[]>
  apply(changes: readonly PrerequisiteChange[], signal: AbortSignal): Promise<void>
  /** Forgets the last comparison, for example because an uninstallation removes everything. */
  forget(): void
}

export function createPrerequisites({ client, namespace, clock, ...listers }: PrerequisitesPorts): InstallPrerequisites {
  const backoff = createConflictBackoff(clock)
  // CRDs are megabytes: they are read once for each version and process, and when one was changed.
  let verified: VerifiedCrds | undefined

  const rbacAt: Readonly<Record<RbacKind, readonly [ResourceType<KubeObject>, Lister<RbacObject & KubeObject>]>> = {
    clusterRoleBindings: [clusterRoleBindings, listers.clusterRoleBindings],
    clusterRoles: [clusterRoles, listers.clusterRoles],
    roles: [roles, listers.roles],
    roleBindings: [roleBindings, listers.roleBindings],
  }
  const readRbac = (access: readonly RbacObject[]): readonly RbacComparison[] =>
    access.map((wanted) => {
      const [resource, lister] = rbacAt[kindOf(wanted)]
      const { name = '', namespace: scope = '' } = wanted.metadata
      return { resource, wanted, present: lister.get(scope, name) }
    })
  /** CDI has roles of the same names. */
  const isLeftToCdi = ({ metadata: { name = '' } }: RbacObject): boolean => name.startsWith(`${cdiGroup}:`) && hasForeignCdi()
  const hasForeignCdi = (): boolean =>
    listers.definitions.list().some((one) => one.metadata?.name?.endsWith(`.${cdiGroup}`) === true && isForeignDefinition(one))
  const readRelease = async ({ version, abandoned }: ReleaseScope): Promise<ReleaseObjects> => {
    const { definitions, access } = await listers.contents(version)
    return {
      release: { version, hash: definitions.hash, count: definitions.count, abandoned },
      readCrds: definitions.read,
      access: withRoleBindings(access, namespace).filter((one) => !isLeftToCdi(one)),
    }
  }
  const readCrds = async ({ release, readCrds: read }: ReleaseObjects, signal: AbortSignal): Promise<CrdComparison> => {
    const [{ items: present }, wanted] = await Promise.all([client.list(customResourceDefinitions, { signal }), read()])
    return { release, wanted, present }
  }
  const unneeded = (access: readonly RbacObject[], components: readonly string[]): readonly PrerequisiteChange[] => {
    const byKind = Map.groupBy(access, kindOf)
    const kinds: readonly (readonly [ResourceType<KubeObject>, Lister<KubeObject>, readonly string[]])[] = [
      [deployments, listers.deployments as Lister<KubeObject>, components],
      [daemonSets, listers.daemonSets as Lister<KubeObject>, components],
      [services, listers.services as Lister<KubeObject>, components],
      // A release without objects of an RBAC kind relies on those of the first installation.
      ...[...byKind].map(([kind, wanted]) => [...rbacAt[kind], wanted.map(({ metadata }) => metadata.name ?? '')] as const),
    ]
    return kinds.flatMap(([resource, lister, wanted]) =>
      lister
        .list()
        // What is for Prometheus depends on the cluster, and not on the release.
        .filter(({ metadata }) => !(monitoringKey in (metadata?.labels ?? {})))
        .filter(({ metadata }) => isManaged(metadata?.labels) && !wanted.includes(metadata?.name ?? ''))
        .map((object) => ({ resource, object, isDelete: true })),
    )
  }

  /** Compares CRDs, unless they are known to be unchanged or another actor keeps reverting them. */
  async function observeCrds(objects: ReleaseObjects, signal: AbortSignal): Promise<CrdDifference> {
    const release = JSON.stringify(objects.release)
    const last = verified?.release === release ? verified : undefined
    const isEdited =
      last !== undefined &&
      [...last.generations].some(([name, verifiedGeneration]) => isNewer(listers.definitions.get('', name), verifiedGeneration))
    if (last !== undefined && (!isEdited || backoff.remainingMs > 0)) return { ...last, changes: [] }
    // What is compared with one release says nothing about another one that is installed meanwhile.
    if (last === undefined) verified = undefined
    const comparison = await readCrds(objects, signal)
    const difference = diffCrds(comparison)
    if (difference.changes.length === 0) {
      verified = { release, generations: generationsOf(comparison), missing: difference.missing, foreign: difference.foreign }
    } else if (last !== undefined) {
      backoff.recordConflict()
      verified = { ...last, missing: difference.missing, foreign: difference.foreign }
    }
    return difference
  }

  return {
    forget() {
      verified = undefined
    },
    async observe(scope, isExact, signal) {
      const objects = await readRelease(scope)
      const rbac = diffRbac(readRbac(objects.access), isExact)
      const { changes, missing, foreign } = await observeCrds(objects, signal)
      return {
        changes: [...changes, ...rbac],
        missingCrds: missing,
        foreignCrds: foreign,
        recheckAfterMs: backoff.remainingMs > 0 ? backoff.remainingMs : undefined,
      }
    },
    async obsolete(scope, components, signal) {
      const objects = await readRelease(scope)
      const crds = diffObsoleteCrds(await readCrds(objects, signal))
      return [...crds, ...diffRbac(readRbac(objects.access), true), ...unneeded(objects.access, components)]
    },
    async apply(changes, signal) {
      const write = ({ resource, object, isDelete }: PrerequisiteChange): Promise<unknown> => {
        const { name = '', namespace: scope = '' } = object.metadata ?? {}
        if (isDelete === true) return client.delete(resource, { namespace: scope, name }, { signal }).catch(ignoreMissing)
        const body = { apiVersion: `${resource.group}/${resource.version}`, kind: resource.kind, ...object }
        const patch = { type: 'apply', body, fieldManager: `virt-operator/${resource.plural}`, force: true } as const
        return client.patch(resource, { namespace: scope, name }, patch, { signal })
      }
      // A binding needs its role: the API server's escalation check reads it.
      const isBinding = ({ object }: PrerequisiteChange): boolean => 'roleRef' in object
      await Promise.all(changes.filter((change) => !isBinding(change)).map(write))
      await Promise.all(changes.filter(isBinding).map(write))
    },
  }
}

interface ReleaseObjects {
  readonly release: CrdRelease
  readonly readCrds: () => Promise<readonly CustomResourceDefinition[]>
  readonly access: readonly RbacObject[]
}

/** The last comparison in which no CRD had to be changed. */
interface VerifiedCrds extends Omit<CrdDifference, 'changes'> {
  /** Key of the release that the cluster was compared with. */
  readonly release: string
  /** UID and generation of each CRD when it last matched; a change means that it was edited. */
  readonly generations: ReadonlyMap<string, CrdGeneration>
}

interface CrdGeneration {
  readonly uid: string | undefined
  readonly generation: number
}

function generationsOf({ wanted, present }: CrdComparison): ReadonlyMap<string, CrdGeneration> {
  const names = new Set(wanted.map(({ metadata }) => metadata.name))
  return new Map(
    present
      .filter(({ metadata }) => names.has(metadata.name))
      .map(({ metadata: { name = '', uid, generation = 0 } }) => [name, { uid, generation }]),
  )
}

/** A cache that lags behind the last comparison reports an older generation: that is no edit. */
function isNewer(present: KubeObject | undefined, { uid, generation }: CrdGeneration): boolean {
  return present === undefined || present.metadata?.uid !== uid || (present.metadata?.generation ?? 0) > generation
}

const [monitoringKey = ''] = Object.keys(monitoringLabel)

type RbacKind = 'clusterRoles' | 'clusterRoleBindings' | 'roles' | 'roleBindings'

function kindOf(object: RbacObject): RbacKind {
  const isNamespaced = object.metadata.namespace !== undefined
  if ('roleRef' in object) return isNamespaced ? 'roleBindings' : 'clusterRoleBindings'
  return isNamespaced ? 'roles' : 'clusterRoles'
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
