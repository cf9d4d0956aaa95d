-- Prints the results in Markdown. Variable: plots, the folder of the plots.
SELECT E'\n## ' || title || E'\n\n![](' || :'plots' || '/' || replace(section, ' ', '-') || E'.svg)\n\n'
       || format(E'| | median, %s | spread | beside | median | spread | ratio | of the least | target | |\n', unit)
       || E'| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |\n'
       || string_agg(concat('| ', concat_ws(' | ', name, median, spread, beside, "its median", "its spread", ratio, "of the least",
                                            coalesce(target::text, ''), coalesce(verdict, '')), ' |'), E'\n' ORDER BY r.nr)
  FROM sections s JOIN results r USING (section)
 GROUP BY s.nr, section, title, unit
 ORDER BY s.nr;
