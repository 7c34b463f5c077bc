import { secrets } from '#api/core/v1/resources.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import { isAlreadyExists, isNotFound, messageOf } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { isOfThisRun, runAnnotations, suffixOf } from '../../objects/created-objects.ts'
import { namespaceOf, objectName } from '../../objects/object-names.ts'
import type { TaskContext, TaskDefinition, TaskParameter } from '../../task.ts'
import { parseConnectionOptions } from './connection-options.ts'
import { keygenOptions, makeKeys } from './make-keys.ts'

/** Annotation of the private key: its public key, from which an interrupted run goes on. */
const publicKeyAnnotation = 'steadyvm.io/ssh-public-key'

interface SecretKey {
  readonly namespace: string
  readonly name: string
}

/** Makes a pair of SSH keys in two secrets. */
export const generateSshKeys: TaskDefinition = {
  name: 'generate-ssh-keys',
  description: 'Makes a pair of SSH keys: the private one in a secret for execute-in-vm, the public one in a secret for guests.',
  parameters: [
    nameParameter('publicKeySecretName', 'PUBLIC_KEY_SECRET_NAME', 'Secret that gets the public key, new or existing (default: a new one)'),
    nameParameter('publicKeySecretNamespace', 'PUBLIC_KEY_SECRET_NAMESPACE', 'Its namespace (default: that of the pod)'),
    nameParameter('privateKeySecretName', 'PRIVATE_KEY_SECRET_NAME', 'New secret with the private key (default: a generated name)'),
    nameParameter('privateKeySecretNamespace', 'PRIVATE_KEY_SECRET_NAMESPACE', 'Its namespace (default: that of the pod)'),
    {
      name: 'privateKeyConnectionOptions',
      type: 'array',
      default: [],
      description: 'Further keys of the private secret as KEY:VALUE, such as user:root or disable-strict-host-key-checking:true',
    },
    {
      name: 'additionalSSHKeygenOptions',
      type: 'string',
      environment: 'ADDITIONAL_SSH_KEYGEN_OPTIONS',
      default: '',
      description: 'Options of ssh-keygen for the key, such as "-t ed25519" (default: RSA of 4096 bits)',
    },
  ],
  results: [
    { name: 'publicKeySecretName', description: 'Name of the secret with the public key' },
    { name: 'publicKeySecretNamespace', description: 'Its namespace' },
    { name: 'privateKeySecretName', description: 'Name of the secret with the private key' },
    { name: 'privateKeySecretNamespace', description: 'Its namespace' },
  ],
  rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'create', 'patch'] }],
  async run(context) {
    const { parameters } = context
    const options = parseConnectionOptions(parameters.list('privateKeyConnectionOptions'))
    const keygen = keygenOptions(parameters.verbatim('additionalSSHKeygenOptions'), options['user'])
    const privateSecret = {
      namespace: namespaceOf(context, 'privateKeySecretNamespace'),
      name: objectName(parameters, 'privateKeySecretName') || `private-key-${suffixOf(context, 'private key')}`,
    }
    const publicSecret = {
      namespace: namespaceOf(context, 'publicKeySecretNamespace'),
      name: objectName(parameters, 'publicKeySecretName') || `public-key-${suffixOf(context, 'public key')}`,
    }
    const publicKey =
      (await keyOfThisRun(context, privateSecret)) ?? (await createPrivateSecret(context, privateSecret, { options, keygen }))
    await publish(context, publicSecret, publicKey)
    return {
      publicKeySecretName: publicSecret.name,
      publicKeySecretNamespace: publicSecret.namespace,
      privateKeySecretName: privateSecret.name,
      privateKeySecretNamespace: privateSecret.namespace,
    }
  },
}

function nameParameter(name: string, environment: string, description: string): TaskParameter {
  return { name, type: 'string', environment, default: '', description }
}

/**
 * Returns the public key of a secret that this run made before it was killed. @throws TaskFailed
 * for another secret
 */
async function keyOfThisRun(context: TaskContext, key: SecretKey): Promise<string | undefined> {
  const secret = await found(context.client.get(secrets, key, { signal: context.signal }))
  if (secret === undefined) return undefined
  const publicKey = secret.metadata.annotations?.[publicKeyAnnotation]
  if (!isOfThisRun(context, secret) || publicKey === undefined) throw exists(key)
  context.log(`Secret ${key.namespace}/${key.name} is from an interrupted run, which goes on`)
  return publicKey
}

function exists({ namespace, name }: SecretKey): TaskFailed {
  return new TaskFailed(
    exitCodes.preconditionFailed,
    `Secret ${namespace}/${name} exists already: delete it, or give another privateKeySecretName`,
  )
}

async function createPrivateSecret(
  context: TaskContext,
  key: SecretKey,
  { options, keygen }: { readonly options: Readonly<Record<string, string>>; readonly keygen: readonly string[] },
): Promise<string> {
  const pair = await makeKeys(context, keygen)
  const publicKey = pair.publicKey.trim()
  const secret = {
    metadata: { ...key, annotations: { ...runAnnotations(context), [publicKeyAnnotation]: publicKey } },
    type: 'kubernetes.io/ssh-auth',
    data: encoded({ type: 'ssh', ...options, 'ssh-privatekey': pair.privateKey }),
  } as Secret
  try {
    await context.client.create(secrets, secret, { signal: context.signal })
  } catch (error) {
    if (isAlreadyExists(error)) throw exists(key)
    throw cannotWrite(key, error)
  }
  context.log(`Created secret ${key.namespace}/${key.name} with the private key`)
  return publicKey
}

/** Adds a public key to a secret, which may be new. A key that it has is not added again. */
async function publish(context: TaskContext, key: SecretKey, publicKey: string): Promise<void> {
  const { client, signal, log } = context
  const present = await found(client.get(secrets, key, { signal }))
  try {
    if (Object.values(present?.data ?? {}).some((value) => Buffer.from(value, 'base64').toString().trim() === publicKey)) return
    const data = encoded({ [entryOf(context, present)]: `${publicKey}\n` })
    if (present === undefined)
      await client.create(secrets, { metadata: { ...key, annotations: runAnnotations(context) }, data } as Secret, { signal })
    else await client.patch(secrets, key, { type: 'merge', body: { data } }, { signal })
    log(`${present === undefined ? 'Created' : 'Added to'} secret ${key.namespace}/${key.name} the public key`)
  } catch (error) {
    // Another run has created or deleted it meanwhile.
    if (isAlreadyExists(error) || (present !== undefined && isNotFound(error))) return publish(context, key, publicKey)
    throw cannotWrite(key, error)
  }
}

/** A name that no key of the secret has. */
function entryOf({ random }: Pick<TaskContext, 'random'>, secret: Secret | undefined): string {
  const name = `id-rsa-${suffixOf({ run: undefined, random }, '')}.pub`
  return secret?.data?.[name] === undefined ? name : entryOf({ random }, secret)
}

function encoded(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
}

function cannotWrite({ namespace, name }: SecretKey, cause: unknown): TaskFailed {
  return new TaskFailed(exitCodes.createFailed, `Cannot write secret ${namespace}/${name}: ${messageOf(cause)}`, { cause })
}
