export { revisionsNamedIn, startRevisionPrefix } from './references.ts'
