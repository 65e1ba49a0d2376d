/**
 * Thrown when two geometries take too much work. Geometries that a client sends or stores can cause
 * it, so it is never a defect: the code that runs the query catches it and refuses the request.
 */
export class GeometryProblem extends Error {
  override readonly name = "GeometryProblem";
}
