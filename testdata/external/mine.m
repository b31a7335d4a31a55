1;  % the same for GNU Octave: exec:octave-cli --quiet mine.m
function A = load_npy (name)  % float64, row after row
  f = fopen (name); fread (f, 8); n = fread (f, 1, "uint32"); head = fread (f, [1 n], "char=>char");
  A = fread (f, fliplr (sscanf (head(strfind (head, "(") + 1:end), "%d, %d")'), "double")'; fclose (f);
end
function save_npy (name, A)
  head = sprintf ("{'descr': '<f8', 'fortran_order': True, 'shape': (%d, %d), }\n", size (A)); f = fopen (name, "w");
  fwrite (f, [147 double("NUMPY") 2 0]); fwrite (f, numel (head), "uint32"); fwrite (f, head); fwrite (f, A, "double"); fclose (f);
end
while ! isempty (line = fscanf (stdin, "%[^\n]%*c", "C"))  % fgetl would wait for the line after it
  folder = jsondecode (line).folder; problem = jsondecode (fileread ([folder "/problem.json"]));
  Y = load_npy ([folder "/Y.npy"]); D = load_npy ([folder "/D0.npy"]);
  for i = 1:problem.iterations
    X = D' * Y; least = sort (abs (X), "descend")(problem.sparsity, :);
    D = Y * (sign (X) .* (abs (X) >= least))' + 1e-9 * D; D ./= norm (D, "columns");
  end
  save_npy ([folder "/D.npy"], D); puts ([line "\n"]); fflush (stdout);
end
