import { toYaml } from '#apimachinery/json/yaml.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { dashboardConfigMaps } from '#features/dashboards/index.ts'
import { defaultHyperConverged, hyperConvergedManifests } from '#features/hyperconverged/index.ts'
import { installationManifests } from '#features/operator/index.ts'
import { readHyperConvergedInstallation, readInstallation } from '#cli/cluster/own-manifests.ts'
import { workloadImagesOf } from '#cli/arguments/workload-images.ts'
import { CommandError, type CliContext } from '#cli/context.ts'

/** What is printed. Objects are parts of their own: kubectl must know their kinds before. */
type Part = 'all' | 'operator' | 'kubevirt' | 'hyperconverged' | 'hyperconverged-operator' | 'hyperconverged-object' | 'dashboards'

interface Flags {
  readonly registry?: string
  readonly kubeletRoot?: string
  readonly workloadImage?: readonly string[]
  readonly part: Part
  readonly output: 'yaml' | 'json'
}

/** Prints the manifests of the operators and their objects. Contacts no server. */
export async function install(this: CliContext, flags: Flags): Promise<void> {
  const items = await itemsOf(flags)
  const { stdout } = this.process
  if (flags.output === 'json') stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`)
  else stdout.write(items.map((item) => `---\n${toYaml(item)}`).join(''))
}

async function itemsOf({ part, registry, kubeletRoot, workloadImage = [] }: Flags): Promise<readonly KubeObject[]> {
  const workloadImages = workloadImagesOf(workloadImage)
  if (workloadImage.length > 0 && part !== 'hyperconverged' && part !== 'hyperconverged-operator')
    throw new CommandError(`--workload-image is for --part hyperconverged-operator: the others deploy no such workload`)
  switch (part) {
    case 'hyperconverged':
      return [...hyperConvergedManifests(await readHyperConvergedInstallation(registry, workloadImages)), defaultHyperConverged]
    case 'hyperconverged-operator':
      return hyperConvergedManifests(await readHyperConvergedInstallation(registry, workloadImages))
    case 'dashboards':
      return dashboardConfigMaps() as readonly KubeObject[]
    case 'hyperconverged-object':
      return [defaultHyperConverged]
    case 'all':
    case 'operator':
    case 'kubevirt': {
      const root = kubeletRoot === undefined ? {} : { kubeletRoot: checkedFolder(kubeletRoot) }
      const all = installationManifests({ ...(await readInstallation(registry)), ...root })
      return part === 'all' ? all : all.filter(({ kind }) => (kind === 'KubeVirt') === (part === 'kubevirt'))
    }
  }
}

/** Checks a folder of nodes, which becomes a part of hostPath volumes. @throws CommandError */
function checkedFolder(text: string): string {
  if (/^(\/[A-Za-z0-9._-]+)+$/.test(text) && !text.split('/').includes('..')) return text
  throw new CommandError(`--kubelet-root "${text}" must be an absolute path without "..", such as /var/lib/k0s/kubelet`)
}
