import { toYaml } from '#apimachinery/json/yaml.ts'
import { installationManifests } from '#features/operator/index.ts'
import { readInstallation } from '#cli/cluster/own-manifests.ts'
import { CommandError, type CliContext } from '#cli/context.ts'

/** Prints the manifests of the operator and the KubeVirt object. Contacts no server. */
export async function install(
  this: CliContext,
  flags: { registry?: string; kubeletRoot?: string; part: 'all' | 'operator' | 'kubevirt'; output: 'yaml' | 'json' },
): Promise<void> {
  const all = installationManifests({
    ...(await readInstallation(flags.registry)),
    ...(flags.kubeletRoot === undefined ? {} : { kubeletRoot: checkedFolder(flags.kubeletRoot) }),
  })
  const items = flags.part === 'all' ? all : all.filter(({ kind }) => (kind === 'KubeVirt') === (flags.part === 'kubevirt'))
  const { stdout } = this.process
  if (flags.output === 'json') stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`)
  else stdout.write(items.map((item) => `---\n${toYaml(item)}`).join(''))
}

/** Checks a folder of nodes, which becomes a part of hostPath volumes. @throws CommandError */
function checkedFolder(text: string): string {
  if (/^(\/[A-Za-z0-9._-]+)+$/.test(text) && !text.split('/').includes('..')) return text
  throw new CommandError(`--kubelet-root "${text}" must be an absolute path without "..", such as /var/lib/k0s/kubelet`)
}
