import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { thisRelease } from '#machine/release/release.ts'
import { noKubectl } from './kubectl.ts'

/**
 * Home of the Kubernetes cluster (`test/kubernetes`) that end-to-end tests run against; undefined
 * when each starts a cluster of machine mode.
 */
export const testClusterHome: string | undefined = process.env['STEADYVM_TEST_CLUSTER'] || undefined

/** Reason to skip what runs in machine mode only; false in machine mode. */
export function machineModeOnly(reason: string): string | false {
  return testClusterHome === undefined ? noKubectl : `machine mode only: ${reason}`
}

/** Returns the address of this process at which the pods of the cluster reach it. */
export async function addressForPods(kubeconfig: string): Promise<string> {
  if (testClusterHome === undefined) return '127.0.0.1'
  const { http } = await loadKubeconfig({ path: kubeconfig, env: {} })
  return new URL(http.server).hostname
}

/** Image with a shell. In machine mode, its programs are those of the machine. */
export const shellImage: string =
  testClusterHome === undefined ? `steadyvm.io/steadyvm-tasks:${thisRelease().version}` : 'localhost/busybox:1'

/** Provisioner of the default storage class. */
export const defaultProvisioner: string = testClusterHome === undefined ? 'steadyvm.io/local' : 'storage.tests.steadyvm.io'
