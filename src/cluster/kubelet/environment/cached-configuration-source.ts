import type { Clock } from '#runtime/clock/clock.ts'
import type { ConfigurationData, ConfigurationSource } from './configuration-source.ts'

/**
 * Answers may be so old (milliseconds): enough that many pods who look at the same object ask for
 * it once.
 */
const freshMs = 10_000

/**
 * Caches answers for ten seconds, for volumes that are refreshed. Not for starting containers,
 * which must see the newest state.
 */
export function createCachedConfigurationSource(source: ConfigurationSource, clock: Clock): ConfigurationSource {
  type Answer = Promise<ConfigurationData | undefined>
  const answers = new Map<string, { readonly at: number; readonly answer: Answer }>()
  const ask = (key: string, load: () => Answer): Answer => {
    const now = clock.now()
    const known = answers.get(key)
    if (known !== undefined && now - known.at < freshMs) return known.answer
    for (const [old, { at }] of answers) if (now - at >= freshMs) answers.delete(old)
    const answer = load()
    answers.set(key, { at: now, answer })
    answer.catch(() => answers.delete(key))
    return answer
  }
  return {
    configMap: (namespace, name) => ask(`configmap/${namespace}/${name}`, () => source.configMap(namespace, name)),
    secret: (namespace, name) => ask(`secret/${namespace}/${name}`, () => source.secret(namespace, name)),
    // Read once, when a pod starts.
    claim: (namespace, name) => source.claim(namespace, name),
  }
}
