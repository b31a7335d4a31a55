package superres_test

import (
	"superres/superres"
	"superres/superres/models"
)

func init() { superres.UseModels(models.Open, models.Names) }
