import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { componentNamespace } from '#api/access/component-users.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { cdiGroup } from '#features/foreign-cdi/index.ts'
import type { HyperConvergedInstallation } from '#features/hyperconverged/index.ts'
import type { Installation } from '#features/operator/index.ts'
import { REGISTRY, thisRelease } from '#machine/release/release.ts'
import { checkedRegistry } from '../arguments/registry.ts'

/** Reads what the running release installs on a cluster. @throws CommandError */
export async function readInstallation(registry: string | undefined): Promise<Installation> {
  const { version, root } = thisRelease()
  const all = JSON.parse(await readFile(join(root, 'manifests', 'crds.generated.json'), 'utf8')) as KubeObject[]
  // virt-operator installs the kinds of CDI where CDI does not: an installer would replace its.
  const definitions = all.filter(({ metadata }) => metadata?.name?.endsWith(`.${cdiGroup}`) !== true)
  return { version, registry: checkedRegistry(registry ?? REGISTRY), ownRegistry: REGISTRY, namespace: componentNamespace, definitions }
}

/**
 * Reads what this release installs as the operator of HyperConverged. `workloadImages` are the
 * images of the workloads that it may deploy, by their names. @throws CommandError
 */
export async function readHyperConvergedInstallation(
  registry: string | undefined,
  workloadImages: Readonly<Record<string, string>> = {},
): Promise<HyperConvergedInstallation> {
  const { version, root } = thisRelease()
  const definitions = JSON.parse(await readFile(join(root, 'manifests', 'hyperconverged-crds.generated.json'), 'utf8')) as KubeObject[]
  return { version, registry: checkedRegistry(registry ?? REGISTRY), definitions, workloadImages }
}
