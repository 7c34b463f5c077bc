import type { PolicyRule } from '#api/rbac/v1/role.ts'
import { isRendered } from '../objects/rendered-hash.ts'
import type { CachedComponent } from '../objects/caches.ts'
import type { CachedKind, Component, ManagedKind } from '../rendering/components.ts'
import { Rendering, type Rendered, type RenderingInput } from '../rendering/rendering.ts'
import { bootImageNamespace } from './import-crons.ts'

const rbacGroup = 'rbac.authorization.k8s.io'

/** Name of the Role and of its binding, as SSP has them. */
export const imageRightsName = 'os-images.kubevirt.io:view'

/** Field of HyperConverged that asks for boot images, and with them for the rights. */
const field = 'workloadSources.enableCommonBootImageImport'
const read = ['get', 'list', 'watch']

/**
 * Rights of all users and service accounts in the namespace of boot images: to see the images, and
 * to copy them into disks of VMs.
 */
export const imageRights: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['persistentvolumeclaims', 'persistentvolumeclaims/status', 'namespaces'], verbs: read },
  { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes', 'datasources'], verbs: read },
  { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes/source'], verbs: ['create'] },
]

const contents = {
  Role: { rules: imageRights },
  RoleBinding: {
    roleRef: { apiGroup: rbacGroup, kind: 'Role', name: imageRightsName },
    subjects: ['system:authenticated', 'system:serviceaccounts'].map((name) => ({ apiGroup: rbacGroup, kind: 'Group', name })),
  },
} as const

function kindOf(kind: keyof typeof contents): ManagedKind {
  return {
    name: `boot-images/${kind}`,
    group: rbacGroup,
    versions: ['v1'],
    kind,
    plural: `${kind.toLowerCase()}s`,
    objectName: imageRightsName,
    namespace: bootImageNamespace,
    onlyIn: bootImageNamespace,
    builtIn: { namespaced: true },
    part: 'storage',
    createsNamespace: true,
    reports: false,
    hasSpec: false,
  }
}

/** Kinds of the objects that give all users rights on boot images. */
export const imageRightsKinds: readonly ManagedKind[] = [kindOf('Role'), kindOf('RoleBinding')]

/**
 * Returns the rights on boot images as components, if the operator imports any into their common
 * namespace, and those that it has given before. Where SSP imports them, the rights are its own.
 * Pure.
 */
export function imageRightsComponents(
  input: RenderingInput,
  crons: readonly Component[],
  observe: (kind: CachedKind) => CachedComponent,
): readonly Component[] {
  const isWanted = crons.some((cron) => cron.namespace === bootImageNamespace && cron.isWanted === undefined)
  return imageRightsKinds.flatMap((kind): readonly Component[] => {
    if (!isWanted && !observe(kind).objects.some(isRendered)) return []
    const render = (): Rendered => renderRights(input, kind.kind === 'Role' ? 'Role' : 'RoleBinding')
    return [{ ...kind, render, ...(isWanted ? {} : { isWanted: () => false, switchedBy: field }) }]
  })
}

function renderRights(input: RenderingInput, kind: keyof typeof contents): Rendered {
  const rendering = new Rendering(input)
  const source = rendering.sourceOf(field)
  for (const [field, value] of Object.entries(contents[kind])) rendering.values.push({ path: [field], value, source })
  return rendering.done()
}
