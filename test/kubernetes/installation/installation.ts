import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runOnConsole } from './guests-on-nodes.ts'
import { eventually, repository } from '../../support/machine.ts'
import { execute } from '../host/host.ts'
import type { KubernetesCluster } from '../kubernetes-cluster.ts'

/** Commands against a cluster on which steadyvm is installed from this checkout. */
export interface Installation {
  /** Version of the checkout. */
  readonly own: string
  /** Builds an archive of all images, and returns its folder. */
  readonly buildImages: (version: string, suffix?: string) => Promise<string>
  /** Runs bin/steadyvm as administrator. */
  readonly steadyvm: (...args: readonly string[]) => Promise<string>
  /** Applies manifests by server-side apply. */
  readonly apply: (manifests: string) => Promise<void>
  /** Builds images, loads them into all nodes, installs them, and waits. */
  readonly installCheckout: () => Promise<void>
  /** Waits until the operator has installed a version, and nothing of another one is left. */
  readonly installed: (version: string) => Promise<void>
  readonly getJson: <T>(...args: readonly string[]) => Promise<T>
  /** Returns the pod that runs a VM's guest. */
  readonly launcherOf: (name: string) => Promise<{ readonly uid: string; readonly node: string }>
  /** Runs a command at the serial console of a guest, through the root directory of its node. */
  readonly inGuest: (name: string, command: string) => Promise<string>
}

interface KubeVirtStatus {
  readonly phase?: string
  readonly observedKubeVirtVersion?: string
  readonly observedGeneration?: number
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
}

/** Returns commands against a cluster. Images are built in the folder `work`. */
export function installationOn(cluster: KubernetesCluster, { work }: { readonly work: string }): Installation {
  const program = join(repository, 'bin/steadyvm')
  const getJson = async <T>(...args: readonly string[]): Promise<T> =>
    JSON.parse(await cluster.kubectl(['get', ...args, '-o', 'json'])) as T
  const launcherOf: Installation['launcherOf'] = async (name) => {
    const { status } = await getJson<{ status?: { activePods?: Record<string, string>; nodeName?: string } }>('vmi', name)
    const { activePods = {}, nodeName = '' } = status ?? {}
    const uid = Object.keys(activePods).find((pod) => activePods[pod] === nodeName)
    assert.ok(uid !== undefined, `VMI ${name} has no pod on ${nodeName}`)
    return { uid, node: nodeName }
  }
  const own = `v${(JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string }).version}`
  const buildImages: Installation['buildImages'] = async (version, suffix = '') => {
    const output = join(work, `images-${version}${suffix}`)
    await execute([program, 'image', 'build', '--version', version, '--format', 'archive', '--output', output])
    return output
  }
  const steadyvm: Installation['steadyvm'] = (...args) =>
    execute(cluster.inNetwork(['env', `KUBECONFIG=${cluster.kubeconfig}`, program, ...args]))
  const apply: Installation['apply'] = async (manifests) => {
    const command = ['kubectl', '--kubeconfig', cluster.kubeconfig, 'apply', '--server-side', '-f', '-']
    await execute(cluster.inNetwork(command), { input: manifests })
  }
  const installed: Installation['installed'] = async (version) => {
    let status: KubeVirtStatus = {}
    const isDone = async (): Promise<boolean> => {
      const found = await getJson<{ metadata: { generation?: number }; status?: KubeVirtStatus }>('kubevirt', 'kubevirt', '-n', 'kubevirt')
      status = found.status ?? {}
      const isTrue = (type: string): boolean => status.conditions?.find((condition) => condition.type === type)?.status === 'True'
      const isCurrent = status.observedKubeVirtVersion === version && status.observedGeneration === found.metadata.generation
      return isCurrent && status.phase === 'Deployed' && isTrue('Available') && !isTrue('Progressing')
    }
    await eventually(isDone, () => JSON.stringify(status), 300_000)
  }
  return {
    own,
    buildImages,
    steadyvm,
    apply,
    async installCheckout() {
      await cluster.load(join(await buildImages(own), 'images.tar'))
      await apply(await steadyvm('install', '--part', 'operator'))
      await apply(await steadyvm('install', '--part', 'kubevirt'))
      await installed(own)
    },
    installed,
    getJson,
    launcherOf,
    async inGuest(name, command) {
      const { output, exitCode } = await runOnConsole(cluster.hosts, { namespace: 'default', name }, command)
      assert.equal(exitCode, 0, output)
      return output.trim()
    },
  }
}
