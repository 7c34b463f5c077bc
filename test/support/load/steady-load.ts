import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'

/** A question that is asked again and again. */
export interface Question {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: object
}

/**
 * Asks at a steady pace, with the identity of a kubeconfig as it was at the start, and tries
 * nothing twice.
 */
export interface SteadyLoad {
  /** Answers so far. */
  readonly answered: number
  /** Failures so far: no answer, or an unsuccessful one. */
  readonly failures: readonly string[]
  /** Asks no more, and waits for what is under way. */
  stop(): Promise<void>
}

interface Kubeconfig {
  readonly server: string
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Reads the one cluster and the one user of a kubeconfig as `up` writes it. */
function readKubeconfig(file: string): Kubeconfig {
  const text = readFileSync(file, 'utf8')
  const valueOf = (key: string): string => new RegExp(`${key}: (\\S+)`).exec(text)?.[1] ?? ''
  const decoded = (key: string): string => Buffer.from(valueOf(key), 'base64').toString()
  const [ca, cert, key] = ['certificate-authority-data', 'client-certificate-data', 'client-key-data'].map(decoded)
  return { server: valueOf('server'), ca: ca ?? '', cert: cert ?? '', key: key ?? '' }
}

/**
 * Each fifth question comes over a connection of its own, so that handshakes are asked for, too.
 */
const newConnectionEvery = 5

/** Starts to ask, one question after the other, so many a second. */
export function startLoad(kubeconfig: string, perSecond: number, questions: readonly Question[]): SteadyLoad {
  const { server, ...identity } = readKubeconfig(kubeconfig)
  const agent = new Agent({ ...identity, keepAlive: true })
  const failures: string[] = []
  const running = new Set<Promise<void>>()
  let [asked, answered] = [0, 0]

  const ask = ({ method, path, body }: Question, isAlone: boolean): Promise<void> =>
    new Promise((resolve) => {
      const own = isAlone ? { ...identity, agent: false as const } : { agent }
      const fail = (why: string): void => {
        failures.push(`${new Date().toISOString()} ${method} ${path}${isAlone ? ' (new connection)' : ''}: ${why}`)
        resolve()
      }
      const headers = { accept: 'application/json', 'content-type': 'application/json' }
      const sent = request(`${server}${path}`, { method, headers, timeout: 20_000, ...own }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', (error) => fail(error.message))
        response.on('end', () => {
          const { statusCode = 0 } = response
          answered += 1
          if (statusCode < 300) resolve()
          else fail(`${statusCode} ${Buffer.concat(chunks).toString().slice(0, 300)}`)
        })
      })
      sent.on('timeout', () => sent.destroy(new Error('no answer within 20 s')))
      sent.on('error', (error) => fail(error.message))
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })

  const timer = setInterval(() => {
    const question = questions[asked % questions.length]
    if (question === undefined) return
    asked += 1
    const answer: Promise<void> = ask(question, Math.floor(asked / questions.length) % newConnectionEvery === 0).finally(() =>
      running.delete(answer),
    )
    running.add(answer)
  }, 1000 / perSecond)
  return {
    get answered() {
      return answered
    },
    failures,
    async stop() {
      clearInterval(timer)
      await Promise.all(running)
      agent.destroy()
    },
  }
}
