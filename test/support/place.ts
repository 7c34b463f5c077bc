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
