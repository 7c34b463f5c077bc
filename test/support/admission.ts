import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import type { ValidatingWebhook } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import type { Client } from '#client/client.ts'
import { toClusterConfig } from '#features/cluster-config/index.ts'
import { createAdmissionHandlers } from '#features/virt-api/index.ts'
import { webhookConfigurations } from '#features/virt-api/webhook-configurations.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { startAdmissionServer } from '#runtime/webhook/admission-server.ts'

/** virt-api's admission in this process. The API server asks it only while it is registered. */
export interface Admission extends AsyncDisposable {
  readonly register: () => Promise<void>
  readonly unregister: () => Promise<void>
}

/** Starts the webhooks for the API server of a client. */
export async function startAdmission(client: Client, kubevirt: () => KubeVirt | undefined): Promise<Admission> {
  const authority = await createTestAuthority()
  const serving = await authority.issue('virt-api', [], true)
  const webhooks = await startAdmissionServer({
    host: '127.0.0.1',
    port: 0,
    tls: { certificate: serving.cert, key: serving.key },
    handlers: createAdmissionHandlers({
      client,
      foreignCdi: async () => false,
      presets: { list: () => [] },
      clock: systemClock,
      log: silentLogger,
      config: () => toClusterConfig(kubevirt()),
    }),
    log: silentLogger,
  })
  const caBundle = Buffer.from(authority.cert).toString('base64')
  const { mutating, validating } = webhookConfigurations({ service: { namespace: 'kubevirt', name: 'virt-api' }, caBundle })
  const reachable = (hooks: ValidatingWebhook[] = []): ValidatingWebhook[] =>
    hooks.map((hook) => ({
      ...hook,
      clientConfig: { url: `https://127.0.0.1:${webhooks.port}${hook.clientConfig.service?.path ?? ''}`, caBundle },
    }))
  const register = async (): Promise<void> => {
    await client.create(mutatingWebhookConfigurations, { ...mutating, webhooks: reachable(mutating.webhooks) })
    await client.create(validatingWebhookConfigurations, { ...validating, webhooks: reachable(validating.webhooks) })
  }
  const unregister = async (): Promise<void> => {
    await client.delete(mutatingWebhookConfigurations, { name: mutating.metadata.name ?? '' })
    await client.delete(validatingWebhookConfigurations, { name: validating.metadata.name ?? '' })
  }
  return { register, unregister, [Symbol.asyncDispose]: () => webhooks[Symbol.asyncDispose]() }
}
