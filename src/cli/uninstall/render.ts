import type { Paint } from '../render/terminal.ts'
import type { Finding } from './explain.ts'

const colours = { blocks: 'red', handled: 'yellow', note: 'dim' } as const

/** Renders the layers one below the other, in the order in which they are met. */
export function renderFindings(findings: readonly Finding[], paint: Paint): string {
  return findings
    .map(({ layer, effect, object, reason, remedy }, index) => {
      const head = `${index + 1}. ${paint(colours[effect], effect.padEnd(7))}  ${layer}  ${object}`
      return `${head}\n   ${reason}\n   ${paint('dim', 'to do:')} ${remedy}\n`
    })
    .join('')
}
