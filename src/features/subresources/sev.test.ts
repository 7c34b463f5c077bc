import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { notFound, StatusError } from '#apimachinery/errors.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { sev, type SevOptions, type SevSubresource } from './sev.ts'

const attested = { launchSecurity: { sev: { attestation: {} } } }
const session = '{"session":"c2Vzc2lvbg==","dhCert":"Y2VydA=="}'

/** Returns code and message of the answer about a VMI in a phase, with fields of its domain. */
async function answer(
  subresource: SevSubresource,
  phase: string | undefined,
  domain: object = {},
  body = session,
  gates = [gate],
): Promise<string> {
  const vmi = { metadata: { name: 'web' }, spec: { domain: { devices: {}, ...domain } }, status: { phase } }
  const get = async (): Promise<never> => {
    if (phase === undefined) throw notFound(virtualMachineInstances, 'web')
    return vmi as never
  }
  const options: SevOptions = { client: { get } as never, config: () => ({ featureGates: gates }) }
  const caller = { username: '', groups: [], extra: {} }
  const request = { caller, namespace: 'ns', name: 'web', body, query: new URLSearchParams(), signal: new AbortController().signal }
  try {
    await sev(options, subresource)(request)
  } catch (error) {
    assert.ok(error instanceof StatusError)
    return `${error.code} ${error.message}`
  }
  return assert.fail('it was not refused')
}
const gate = 'WorkloadEncryptionSEV'

suite('sev()', () => {
  const rows: readonly (readonly [Promise<string>, RegExp])[] = [
    [answer('fetchcertchain', 'Running', {}, '', []), /^400 'WorkloadEncryptionSEV' feature gate is not enabled$/],
    [answer('fetchcertchain', undefined), /^404 virtualmachineinstance\.kubevirt\.io "web" not found$/],
    [answer('fetchcertchain', 'Pending'), /^409 .*VMI is not assigned to a node yet$/],
    [answer('fetchcertchain', 'Running'), /^409 .*Attestation not requested for VMI$/],
    [answer('setupsession', 'Running', {}, ''), /^400 Session blob is required$/],
    [answer('setupsession', 'Running', {}, '{}'), /^400 Session blob is required$/],
    [answer('setupsession', 'Running', {}, '{"session":"a"}'), /^400 DH cert is required$/],
    [answer('setupsession', 'Running'), /^409 .*VMI is not in Scheduled phase$/],
    [
      answer('setupsession', 'Scheduled', { launchSecurity: { sev: { attestation: {}, session: 'a' } } }),
      /^409 .*Session already defined$/,
    ],
    [answer('querylaunchmeasurement', 'Scheduled'), /^409 .*VMI is not running$/],
    [answer('querylaunchmeasurement', 'Running', attested), /^409 .*VMI is not paused$/],
    [answer('injectlaunchsecret', 'Running'), /^409 .*Attestation not requested for VMI$/],
    [answer('setupsession', 'Scheduled', attested), /^501 Guests with encrypted memory cannot run/],
  ]
  for (const [index, [given, expected]] of rows.entries())
    test(`refuses as KubeVirt does: ${index}: ${expected.source}`, async () => assert.match(await given, expected))
})
